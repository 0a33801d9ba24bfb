-- +goose Up

-- Grants, lapses and corrections are few among the charges. Charges are not in it,
-- so that settling a job costs nothing more; and it has all columns, since SQLite
-- would rather read the whole table than look up a row.
CREATE INDEX ledger_no_charges ON ledger (organization, kind, id, at, amount) WHERE kind <> 'charge';
