"""The filter stage and its plugins: which nodes can take the pod."""
