"""How fast a page appears: what the tool sees of a page whose faults are known."""

import pytest

from tools.browser import serving
from tools.page_speed import blocking_time, median_visit

PAGE = """<!doctype html><title>slow</title><p>first</p>
<script>
const sleep = ms => { const end = performance.now() + ms;
    while (performance.now() < end); };
requestAnimationFrame(() => setTimeout(() => {
    sleep(150);
    document.querySelector("p").insertAdjacentHTML("beforebegin",
        "<div style='height: 300px'>pushes the text down</div>");
}, 300));
</script>"""


def test_only_what_a_task_takes_above_50_ms_and_after_the_paint_counts():
    tasks = [(10, 300), (200, 49), (300, 90), (500, 51)]
    assert blocking_time(tasks, after=100) == 41
    assert blocking_time([], after=0) == 0


@pytest.mark.slow
@pytest.mark.browser
def test_a_page_that_blocks_and_jumps_is_seen_to(browser, tmp_path):
    (tmp_path / "slow.html").write_text(PAGE)
    (tmp_path / "calm.html").write_text("<!doctype html><title>calm</title><p>text</p>")
    with serving(tmp_path) as address:
        slow, calm = (
            median_visit(browser, f"{address}{name}.html", "desktop", visits=1)
            for name in ("slow", "calm")
        )
    assert slow["TBT ms"] >= 90
    assert slow["CLS"] > 0.01
    assert calm["CLS"] == 0
    assert 0 < calm["FCP ms"] <= calm["LCP ms"]
