-- +goose Up

-- Index of the entries that are not charges, which are few. Charges are left out so that settling a
-- job costs nothing more. The index has all columns, since SQLite would otherwise read the whole
-- table.
CREATE INDEX ledger_no_charges ON ledger (organization, kind, id, at, amount) WHERE kind <> 'charge';
