"""The progress grid: students by missions, ordered and filtered as the address asks; page, live refresh and CSV alike."""
