"""What serving and scheduling share: the API on the wire.

=============  ======================================================================
``complete``   objects as complete JSON, with the defaults that the model leaves out
``reading``    JSON with Go's nulls, into the model
``rest``       the fields of an object that the model does not have
``statuses``   failures and successes in the API's words
=============  ======================================================================
"""
