import type { SearchAnswer, SearchHit } from '@quartermaster/api/inventory-views';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import { modelText } from './node-division.ts';

export interface SearchInput {
  readonly nodes: readonly NodeInventory[];
  readonly storage: readonly StorageInventory[];
}

/** A hit, and how well it fits: the lower the better. */
export interface RankedHit extends SearchHit {
  readonly rank: number;
}

/** What is looked for, in lower case. */
export interface SearchWords {
  readonly text: string;
  /** Letters and digits alone, so that `AABB.CCDD` finds aa:bb:cc:dd and a UUID may be written without dashes. Empty when too short to tell things apart. */
  readonly bare: string;
}

type Searcher = (input: SearchInput, words: SearchWords) => Iterable<RankedHit>;

/** Fewer characters of a serial number or an address would find half of the machines. */
const shortestPart = 3;

// kind -> what finds it. A new kind is one more line here, and a page that knows where to show it.
const searchers: ReadonlyMap<string, Searcher> = new Map([
  ['node', findNodes],
  ['gpu', findGpus],
  ['class', findClasses],
]);

/** What the text names: nodes by name, serial number, UUID, MAC address or disk; GPUs by id; storage classes. Pure. */
export function searchInventory(input: SearchInput, query: string, limit: number): SearchAnswer {
  const words = searchWords(query);
  const searched = [...searchers.keys()];
  if (words === undefined) return { hits: [], searched };
  return {
    hits: bestOf(
      [...searchers.values()].map((find) => [...find(input, words)]),
      limit,
    ),
    searched,
  };
}

/** Undefined when nothing is asked for. */
function searchWords(query: string): SearchWords | undefined {
  const text = query.trim().toLowerCase();
  const bare = bareOf(text);
  return text === '' ? undefined : { text, bare: bare.length < shortestPart ? '' : bare };
}

/** How well a name fits: it is the text, starts with it, holds it; undefined when it does none. */
function rankOfName(name: string, { text }: Pick<SearchWords, 'text'>): number | undefined {
  const lower = name.toLowerCase();
  if (lower === text) return 0;
  if (lower.startsWith(text)) return 1;
  return lower.includes(text) ? 2 : undefined;
}

/** The best of each kind, at most so many in all: exact names first, and no kind crowds out another. */
export function bestOf(kinds: readonly (readonly RankedHit[])[], limit: number): readonly SearchHit[] {
  const found = kinds.map((hits) => hits.toSorted(byRank));
  const share = Math.ceil(limit / Math.max(1, found.filter((hits) => hits.length > 0).length));
  const fair = found.flatMap((hits) => hits.slice(0, share));
  const rest = found.flatMap((hits) => hits.slice(share)).toSorted(byRank);
  return [...fair, ...rest]
    .slice(0, limit)
    .toSorted(byRank)
    .map(({ rank: _rank, ...hit }) => hit);
}

const byRank = (a: RankedHit, b: RankedHit): number => a.rank - b.rank;

function* findNodes({ nodes }: SearchInput, words: SearchWords): Generator<RankedHit> {
  for (const node of nodes) {
    const { name, sellability } = node;
    const rank = rankOfName(name, words);
    const part = rank === undefined ? partOf(node, words) : undefined;
    if (rank === undefined && part === undefined) continue;
    yield { kind: 'node', id: name, label: name, detail: part ?? stateWords[sellability.state], rank: rank ?? 3 };
  }
}

const stateWords = { sellable: 'sellable', 'held-back': 'held back', unknown: 'unknown' } as const;

/** What of a machine has the words in it: `serial number ABC123`. */
function partOf({ hardware }: NodeInventory, { bare }: SearchWords): string | undefined {
  if (bare === '') return undefined;
  const { machine, disks, nics } = hardware;
  const holds = (value: string | undefined): value is string => value !== undefined && bareOf(value.toLowerCase()).includes(bare);
  if (holds(machine.serial)) return `serial number ${machine.serial}`;
  if (holds(machine.systemUuid)) return `UUID ${machine.systemUuid}`;
  const nic = nics.find(({ mac }) => holds(mac));
  if (nic !== undefined) return `MAC ${nic.mac} of ${nic.name}`;
  const disk = disks.find(({ serial }) => holds(serial));
  return disk && `serial number ${disk.serial} of disk ${disk.name}`;
}

function* findGpus({ nodes }: SearchInput, words: SearchWords): Generator<RankedHit> {
  for (const { name, devices } of nodes) {
    for (const device of devices) {
      const rank =
        rankOfName(device.id, words) ?? (words.bare !== '' && bareOf(device.id.toLowerCase()).includes(words.bare) ? 3 : undefined);
      if (rank === undefined) continue;
      yield { kind: 'gpu', id: `${name} ${device.id}`, label: device.id, detail: `${modelText(device)} · ${name}`, rank };
    }
  }
}

function* findClasses({ storage }: SearchInput, words: SearchWords): Generator<RankedHit> {
  for (const { class: name, refusal } of storage) {
    const rank = rankOfName(name, words);
    if (rank !== undefined) yield { kind: 'class', id: name, label: name, detail: refusal === undefined ? 'offered' : refusal.code, rank };
  }
}

const bareOf = (text: string): string => text.replaceAll(/[^a-z0-9]/g, '');
