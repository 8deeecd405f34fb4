"""What the API answers, as pydantic models: the OpenAPI document derives from them."""
