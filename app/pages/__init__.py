"""The pages for people: rendered here, whole without a script, and reading nothing but the ledger."""

from app.pages.views import error_page, router

__all__ = ["error_page", "router"]
