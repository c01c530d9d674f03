"""The progress grid: students by missions, sorted and filtered as its address asks; page, refresh and CSV alike."""
