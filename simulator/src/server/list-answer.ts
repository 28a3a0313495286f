import type { ServerResponse } from 'node:http';
import { answerJson, answerText, drained } from './answers.ts';
import type { JsonObject } from './api-object.ts';
import type { Collection } from './collection.ts';
import { type ListOptions, readPage, writeToken } from './list-options.ts';
import type { AnswerForm } from './media-types.ts';
import type { ObjectEncoder } from './object-encoder.ts';
import { shown } from './object-reader.ts';
import { apiVersionOf, type ServedKind } from './served-kind.ts';
import { type IncludeObject, partialMetadata, tableOf } from './tables.ts';

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

/** Answers a list. One without a limit is written piece by piece: as one text it could be larger than a string may be. */
export async function answerList(response: ServerResponse, parts: ListParts): Promise<void> {
  const { kind, collection, prefix, options, form } = parts;
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
  if (form.form !== 'object') answerJson(response, 200, listOf(parts, form.form, items, metadata));
  else if (options.limit === undefined && items.length > batch) await stream(response, parts, items, metadata);
  else answerText(response, 200, 'application/json', `${headOf(kind, metadata)}${textsOf(parts, items)}]}`);
}

function listOf(
  { kind, include, now }: ListParts,
  form: Exclude<AnswerForm['form'], 'object'>,
  stored: readonly JsonObject[],
  metadata: JsonObject,
): JsonObject {
  const items = stored.map((object) => shown(kind, object));
  if (form === 'table') return tableOf(kind, items, { include, now, withColumns: true, metadata });
  return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items: items.map(partialMetadata) };
}

function headOf(kind: ServedKind, metadata: JsonObject): string {
  const head = JSON.stringify({ kind: kind.listKind, apiVersion: apiVersionOf(kind), metadata });
  return `${head.slice(0, -1)},"items":[`;
}

const textsOf = ({ kind, encoder }: ListParts, items: readonly JsonObject[]): string =>
  items.map((object) => encoder.encode(kind, object)).join(',');

async function stream(response: ServerResponse, parts: ListParts, items: readonly JsonObject[], metadata: JsonObject): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  response.write(headOf(parts.kind, metadata));
  for (let start = 0; start < items.length && !response.destroyed; start += batch) {
    const texts = textsOf(parts, items.slice(start, start + batch));
    if (!response.write(`${start === 0 ? '' : ','}${texts}`)) await drained(response);
  }
  response.end(']}');
}
