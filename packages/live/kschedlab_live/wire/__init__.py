"""The API on the wire, for serving and for scheduling.

=============  =====================================================================
``objects``    objects as complete JSON, and back into the model; formats of patches
``rest``       the fields of an object that the model does not have
``statuses``   failures and successes in the API's words
=============  =====================================================================
"""
