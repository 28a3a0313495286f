import { type CommitLevels, soldOnce } from '../placement/commit-level.ts';
import { Draft } from '../placement/draft.ts';
import { needsOf } from '../placement/needs.ts';
import { bytesOf, isPersistent, type Request } from '../placement/request.ts';
import type { Stock } from '../placement/stock.ts';
import type { ClassFacts, Reason } from '../placement/stock-facts.ts';
import { isUntold } from '../placement/storage-classes.ts';

/** What could make room for a request that was refused, if one knew more. Empty: it does not fit, for certain. */
export function unknownRoom(stock: Stock, request: Request, refused: readonly Reason[], levels = soldOnce): readonly Reason[] {
  return [...unknownClasses(stock, request), ...unknownEphemeral(stock, request, refused, levels)];
}

/** Classes that a volume could be of if one knew what they have free. */
function unknownClasses({ storage }: Stock, request: Request): readonly Reason[] {
  const wanted = wantedClasses(request);
  if (wanted.size === 0) return [];
  // What it performs like may only be known from its disks.
  const others = storage.all.filter(({ performance }) => performance === undefined);
  const classes = new Set([...[...wanted].flatMap((name) => storage.of(name)), ...others]);
  return [...classes]
    .filter(isUntold)
    .map(({ name }) => ({ code: 'StorageUnknown', message: `nobody knows how much storage class ${name} has free` }));
}

/** Nodes that have everything else for a replica, or on which volumes may come to lie. */
function unknownEphemeral(stock: Stock, request: Request, refused: readonly Reason[], levels: CommitLevels): readonly Reason[] {
  if (stock.ephemeralUnknown.size === 0) return [];
  const asking = request.units.filter((unit) => bytesOf(unit, 'ephemeral') > 0);
  const bare = asking.map((unit) => ({ unit: { ...unit, volumes: unit.volumes.filter(({ kind }) => kind === 'ram') }, classes: [] }));
  const needs = needsOf(bare, stock.storage, levels);
  const blank = new Draft(stock.storage, needs);
  const isFull = refused.some(({ code }) => code === 'TooLittleStorage');
  const classes: readonly ClassFacts[] = isFull ? [...wantedClasses(request)].flatMap((name) => stock.storage.of(name)) : [];
  const mayDo = (name: string): boolean => {
    const node = stock.node(name);
    if (classes.some(({ ephemeralNodes }) => ephemeralNodes?.has(name))) return true;
    return node?.takesWork === true && needs.needs.some((need) => blank.capacity(need, node) > 0);
  };
  const found = [...stock.ephemeralUnknown].filter(mayDo).sort();
  if (found.length === 0) return [];
  const [first = '', ...others] = found;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const why = stock.node(first)?.facts?.ephemeralUnknown?.message ?? '';
  return [{ code: 'EphemeralStorageUnknown', message: `nobody knows how much ephemeral storage ${first}${more} has free: ${why}` }];
}

const wantedClasses = ({ units }: Request): ReadonlySet<string> =>
  new Set(units.flatMap(({ volumes }) => volumes.filter(isPersistent).map((volume) => volume.class)));
