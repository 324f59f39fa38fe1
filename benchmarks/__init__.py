"""What was made fast, timed as ratios within one run: ratios travel, seconds do not."""
