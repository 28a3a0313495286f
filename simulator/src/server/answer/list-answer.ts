import type { ServerResponse } from 'node:http';
import { apiVersionOf, type ServedKind } from '../kinds/served-kind.ts';
import type { JsonObject } from '../object/api-object.ts';
import type { Collection } from '../store/collection.ts';
import { shown } from '../store/object-reader.ts';
import { answerText, drained } from './answers.ts';
import { ByteWriter } from './byte-writer.ts';
import { type ListOptions, readPage, writeToken } from './list-options.ts';
import type { AnswerForm } from './media-types.ts';
import { expectedBytes, type ObjectEncoder } from './object-encoder.ts';
import { type IncludeObject, TableWriter } from './tables.ts';

export interface ListParts {
  readonly kind: ServedKind;
  readonly collection: Collection;
  readonly prefix: string;
  readonly options: ListOptions;
  /** The revision now. */
  readonly revision: number;
  readonly form: AnswerForm;
  readonly encoder: ObjectEncoder;
  readonly include: IncludeObject;
  readonly now: number;
}

const batch = 500;
const contentType = 'application/json';

/** Answers a list. One without a limit is written piece by piece: as one text it could be larger than a string may be. */
export async function answerList(response: ServerResponse, parts: ListParts): Promise<void> {
  const { kind, collection, prefix, options } = parts;
  const { revision, objects } = readPage(collection, prefix, options, parts.revision, kind);
  const metadata: Record<string, string | number> = { resourceVersion: String(revision) };
  const items: JsonObject[] = [];
  let last = '';
  let more = false;
  for (const [key, object] of objects) {
    if (!options.filter(object)) continue;
    if (options.limit !== undefined && items.length >= options.limit) {
      more = true;
      break;
    }
    items.push(object);
    last = key;
  }
  if (more) {
    metadata['continue'] = writeToken(revision, last);
    if (!options.hasSelector) metadata['remainingItemCount'] = collection.countAfter(prefix, last);
  }
  const { head, writeItem } = writerOf(parts, metadata);
  const bytesOf = (before: string, some: readonly JsonObject[], after: string): Buffer => {
    const into = new ByteWriter(some.length * expectedBytes);
    into.text(before);
    some.forEach((object, index) => {
      if (index > 0) into.text(',');
      writeItem(object, into);
    });
    into.text(after);
    return into.end();
  };
  if (options.limit !== undefined || items.length <= batch) {
    answerText(response, 200, contentType, bytesOf(head, items, ']}'));
    return;
  }
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache, private' });
  response.write(head);
  for (let start = 0; start < items.length && !response.destroyed; start += batch) {
    if (!response.write(bytesOf(start === 0 ? '' : ',', items.slice(start, start + batch), ''))) await drained(response);
  }
  response.end(']}');
}

/** How a list is written in the form that was asked for: its beginning, each of its items, and `]}`. */
function writerOf(
  { kind, include, now, encoder, form: { form } }: ListParts,
  metadata: JsonObject,
): { readonly head: string; readonly writeItem: (object: JsonObject, into: ByteWriter) => void } {
  if (form === 'table') {
    const table = new TableWriter(kind, { include, now, encoder });
    return {
      head: table.head(metadata, { withColumns: true }),
      writeItem: (object, into) => into.text(table.row(shown(kind, object))),
    };
  }
  const head = headOf({ kind: kind.listKind, apiVersion: apiVersionOf(kind), metadata });
  return { head, writeItem: (object, into) => encoder.write(shown(kind, object), into) };
}

const headOf = (list: JsonObject): string => `${JSON.stringify(list).slice(0, -1)},"items":[`;
