// Lists the names of a table, typed.

/** Returns the names of a table's fields, in their order. */
export const namesOf = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table & string)[]; // a table is a literal: it has no field that its type does not name
