"""The API on the wire, for serving and for scheduling.

=============  =====================================================================
``objects``    JSON into objects of the model; formats of patches
``protobuf``   what client-go's typed clients send
``rest``       the fields of an object that the model does not have
``statuses``   failures and successes in the API's words
=============  =====================================================================
"""
