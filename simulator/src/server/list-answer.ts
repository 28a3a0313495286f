import type { ServerResponse } from 'node:http';
import { answerJson, drained } from './answers.ts';
import type { JsonObject } from './api-object.ts';
import type { Collection } from './collection.ts';
import { type ListOptions, readPage, writeToken } from './list-options.ts';
import type { AnswerForm } from './media-types.ts';
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
  const isStreamed = form.form === 'object' && options.limit === undefined;
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
  if (isStreamed && items.length > batch) await stream(response, kind, items, metadata);
  else
    answerJson(
      response,
      200,
      listOf(
        parts,
        items.map((object) => shown(kind, object)),
        metadata,
      ),
    );
}

function listOf({ kind, form, include, now }: ListParts, items: readonly JsonObject[], metadata: JsonObject): JsonObject {
  if (form.form === 'table') return tableOf(kind, items, { include, now, withColumns: true, metadata });
  if (form.form === 'metadata')
    return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items: items.map(partialMetadata) };
  return { kind: kind.listKind, apiVersion: apiVersionOf(kind), metadata, items };
}

async function stream(response: ServerResponse, kind: ServedKind, items: readonly JsonObject[], metadata: JsonObject): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  const head = JSON.stringify({ kind: kind.listKind, apiVersion: apiVersionOf(kind), metadata });
  response.write(`${head.slice(0, -1)},"items":[`);
  for (let start = 0; start < items.length && !response.destroyed; start += batch) {
    const texts = items.slice(start, start + batch).map((object) => JSON.stringify(shown(kind, object)));
    if (!response.write(`${start === 0 ? '' : ','}${texts.join(',')}`)) await drained(response);
  }
  response.end(']}');
}
