export { type ChangeBody, decodeChangeBody, encodeChangeBody } from './change-body.ts';
export { fieldValue } from './field-values.ts';
export { GatheredReads } from './gathered-reads.ts';
export { holdReferenced, holdWritten } from './late-locks.ts';
export { decodeCursor, encodeCursor, type ListPlace, listName } from './list-cursor.ts';
export { type ListQuery, listObjects, type Page } from './list-objects.ts';
export { objectColumns } from './object-columns.ts';
export { ObjectTable, type Sealer, type Views } from './object-table.ts';
export { columnAt, lockOf, type ObjectColumn, type ObjectType } from './object-type.ts';

export { redacted, type StoredMetadata, type StoredObject } from './stored-object.ts';
export { type BatchPart, type BatchRow, type BatchValue, hexOf, RawJson, WriteBatch } from './write-batch.ts';
