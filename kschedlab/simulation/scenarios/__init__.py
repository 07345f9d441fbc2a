"""What happens to a cluster: timelines and the operations of scheduler_perf, read from files and carried out."""
