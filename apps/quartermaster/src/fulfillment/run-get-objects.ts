import { formatDocument } from '../text/format-document.ts';
import { type Look, listingText, type Subject } from '../text/listing.ts';
import type { Output } from '../text/output.ts';
import { paintFor } from '../text/paint.ts';
import { showFrames } from '../text/show-frames.ts';
import { appendingDisplay, machineDisplay, terminalDisplay, type WatchDisplay } from '../text/watch-display.ts';
import { type ApiConnection, connectApi, type ObjectApi, withApi } from './api-connection.ts';
import type { ApiFlags } from './api-flags.ts';
import type { KindPlural } from './kind-names.ts';
import { NamesOfIds } from './names-of-ids.ts';
import { displayName } from './object-columns.ts';
import { aboutOwnFilter, objectFilter } from './object-filter.ts';
import { ObjectFollower } from './object-follower.ts';
import { objectJson } from './object-json.ts';
import { type ObjectsState, objectsSubject } from './objects-subject.ts';
import { missingNames, missingObjects, type ReadOptions, type ReadResult, readObjects } from './read-objects.ts';

export interface GetObjectsFlags extends ApiFlags {
  readonly output: 'table' | 'wide' | 'json' | 'yaml' | 'name';
  readonly filter?: string;
  readonly order?: string;
  readonly selector: readonly string[];
  readonly limit?: number;
  readonly all: boolean;
  readonly includeDeleted: boolean;
  readonly watch: boolean;
}

const defaultLimit = 100;

/** Objects of a kind by name or id, or all that match. Names that do not exist are an error after the others were printed. */
export async function getObjects(
  kind: KindPlural,
  names: readonly string[],
  flags: GetObjectsFlags,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const { filter: own, order = 'metadata.name' } = flags;
  const wanted = { names, labels: flags.selector, includeDeleted: flags.includeDeleted || names.length > 0 };
  const filter = objectFilter(own === undefined ? wanted : { ...wanted, filter: own });
  const isFiltered = names.length > 0 || own !== undefined || flags.selector.length > 0;
  const subject = objectsSubject({ isOne: names.length === 1, isFiltered });
  const look = (now: number): Look => ({ exact: false, wide: flags.output === 'wide', now, paint: paintFor(output.out) });
  if (flags.watch) {
    const isMachine = flags.output === 'json' || flags.output === 'yaml';
    let follower: ObjectFollower | undefined;
    const follow = async (draw: () => void, ended: AbortSignal): Promise<void> => {
      follower = new ObjectFollower({ kind, filter, order, connect: () => connectApi(flags), changed: draw });
      await follower.run(ended);
    };
    const notYet = { isLive: false, lastContactAt: undefined, reason: 'not connected yet' } as const;
    const frame = () => ({ state: follower?.state, link: follower?.link ?? notYet });
    const display = displayFor(subject, flags, output);
    await showFrames({ display, look, ticks: output.out.isTTY === true && !isMachine, frame, follow }, signal);
    return;
  }
  await withApi(flags, async (connection) => {
    const api = await connection.objects(kind);
    const limit = flags.limit ?? (flags.all || names.length > 0 ? undefined : defaultLimit);
    const state = await stateOf(connection, api, await read(api, { filter, order, limit }, signal), flags);
    const isTable = flags.output === 'table' || flags.output === 'wide';
    // That none of the names exists is said by the error.
    if (!(isTable && names.length > 0 && state.items.length === 0)) output.out.write(textOf(subject, state, flags, look(Date.now())));
    const missing = missingNames(names, state.items);
    if (missing.length > 0) throw missingObjects(api, missing);
  });
}

async function read(api: ObjectApi, options: ReadOptions, signal: AbortSignal): Promise<ReadResult> {
  try {
    return await readObjects(api, options, signal);
  } catch (thrown) {
    throw aboutOwnFilter(thrown, options.filter);
  }
}

async function stateOf(
  connection: ApiConnection,
  api: ObjectApi,
  { items, total }: ReadResult,
  { output }: GetObjectsFlags,
): Promise<ObjectsState> {
  const names = new NamesOfIds(connection);
  const isTable = output === 'table' || output === 'wide';
  if (isTable) {
    await names.learn(
      api.kind.plural,
      items.map((object) => objectJson(api.schema, object)),
    );
  }
  return { api, items, total, names };
}

function textOf(subject: Subject<ObjectsState>, state: ObjectsState, { output: format }: GetObjectsFlags, look: Look): string {
  switch (format) {
    case 'json':
    case 'yaml':
      return formatDocument(subject.document(state), format);
    case 'name':
      return state.items.map((object) => `${displayName(objectJson(state.api.schema, object))}\n`).join('');
    case 'table':
    case 'wide':
      return listingText(subject.list(state, look));
  }
}

function displayFor(subject: Subject<ObjectsState>, { output: format }: GetObjectsFlags, output: Output): WatchDisplay<ObjectsState> {
  if (format === 'json' || format === 'yaml') return machineDisplay(output, subject, format);
  return output.out.isTTY === true ? terminalDisplay(output.out, subject) : appendingDisplay(output, subject);
}
