"""The pictures of an instrument: what its rows show beyond the estimates, drawn once for each evidence."""

from app.pages.pictures.gallery import Gallery, gallery_of

__all__ = ["Gallery", "gallery_of"]
