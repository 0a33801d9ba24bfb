-- +goose Up

-- How well documents are understood is in Prometheus now; kept_pages stays. Nodes of the release before
-- still write the tables extraction, extraction_counts, extraction_seen and extraction_series during a
-- rolling upgrade. The next release drops them.
SELECT 1;
