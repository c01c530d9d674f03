"""What a class did at one mission: its tries, what they have in common, and the pages that show them."""
