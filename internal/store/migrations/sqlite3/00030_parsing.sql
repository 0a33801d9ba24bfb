-- +goose Up

-- How well documents are understood is in Prometheus now; kept_pages stays.
DROP TABLE extraction;
DROP TABLE extraction_counts;
DROP TABLE extraction_seen;
DROP TABLE extraction_series;
