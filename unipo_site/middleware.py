"""What every response of the site keeps to."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.urls import Resolver404, resolve
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.http import urlencode

GetResponse = Callable[[HttpRequest], HttpResponse]


class CacheRulesMiddleware:
    """Pages are never stored, and a fragment is never taken for a page.

    After signing out, Back must not show the last student's page; after a mission, Back must show the new stars.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        patch_vary_headers(response, ["HX-Request"])
        if "Cache-Control" not in response:
            add_never_cache_headers(response)
        return response


class FormAddressMiddleware:
    """Leads whoever opens the address that a form is sent to back to the page with the form.

    After a form was refused, the browser shows such an address: somebody reloads it, keeps it, or comes back to it once
    they have signed in. The page is the nearest address above that there is.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        takes_forms = response.status_code == 405 and "POST" in response.headers.get("Allow", "")
        if request.method not in ("GET", "HEAD") or not takes_forms:
            return response
        return HttpResponseRedirect(_above(request.path_info))


def _above(path: str) -> str:
    """The nearest address above one that a view answers."""
    while path != "/":
        path = path.rstrip("/").rpartition("/")[0] + "/"
        try:
            resolve(path)
        except Resolver404:
            continue
        return path
    return "/"


class HtmxRedirectMiddleware:
    """Sends the whole browser to sign in when an htmx request finds its session gone.

    Left alone, htmx would follow the redirect and swap the sign-in page into a panel.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not getattr(request, "htmx", False) or response.status_code not in (301, 302, 303):
            return response
        target = response["Location"]
        sign_in = resolve_url("account_login")
        if target.split("?")[0] == sign_in:
            # Come back to the page the student was looking at, not to the address of a fragment.
            page = _page_of(request)
            target = f"{sign_in}?{urlencode({'next': page})}"
        redirect = HttpResponse(status=204)
        redirect.headers["HX-Redirect"] = target
        redirect.cookies = response.cookies
        return redirect


def _page_of(request: HttpRequest) -> str:
    """The path of the page an htmx request came from; the header is the client's word and may be anything."""
    try:
        return request.htmx.current_url_abs_path or "/"  # type: ignore[attr-defined]
    except ValueError:
        return "/"
