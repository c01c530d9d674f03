"""Which account a typed name means, and the one e-mail address an account may have.

Django keeps an address on the user; django-allauth keeps a table of addresses beside it and looks in both. Here an
account has one address or none, so every change goes through `set_address`, which leaves no old address behind that
could still reset the password.
"""

from allauth.account.internal.userkit import filter_users_by_email, get_user_by_username
from allauth.account.models import EmailAddress
from django.db import transaction

from accounts.models import User

# The longest e-mail address there can be; user names are shorter.
LONGEST_NAME = 254


def account_named(typed: str) -> User | None:
    """Return the account whose e-mail or user name this is, in any case, or None."""
    typed = typed.strip()
    if len(typed) > LONGEST_NAME:
        # No account is called that, and a database may refuse to look for it.
        return None
    typed = User.normalize_username(typed)
    by_address = filter_users_by_email(typed, for_login=True) if "@" in typed else []
    if by_address:
        return min(by_address, key=lambda user: user.pk)
    return get_user_by_username(typed) if typed else None  # type: ignore[return-value]


def is_address_taken(address: str, by_other_than: User) -> bool:
    """Say whether another account has this e-mail address."""
    return any(user.pk != by_other_than.pk for user in filter_users_by_email(address))


@transaction.atomic
def set_address(user: User, address: str) -> None:
    """Make `address` the account's only e-mail address; "" removes it.

    Raises IntegrityError if another account has it.
    """
    user.email = address.lower()
    user.save(update_fields=["email"])
    EmailAddress.objects.filter(user=user).exclude(email=user.email).delete()
    if user.email:
        EmailAddress.objects.update_or_create(user=user, email=user.email, defaults={"primary": True})
