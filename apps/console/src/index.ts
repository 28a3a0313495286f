export { type ApiField, fieldsOf, type SchemaDocument } from './api-field.ts';
export { ensureConsoleBuilt } from './build/ensure-console-built.ts';
export { fieldKeys, objectFilter } from './filter/object-filter.ts';
export type { ConsolePart, Installation, PartChange, PartState, SimulatedFaults } from './installation-view.ts';
