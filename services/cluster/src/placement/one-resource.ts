import type { Option } from './candidates.ts';
import type { PlacedNeed } from './greedy.ts';
import type { ChosenUnit, Need } from './needs.ts';
import type { NodeIndex } from './node-index.ts';
import type { Reason } from './stock-facts.ts';

/*
 * The pods of a unit are made of one template, which names one resource for their cards: a device plugin's, or a driver's whose claims assign them. So all replicas of a
 * unit have cards of one resource. Nearly always they have by themselves; only where a placement mixes them, each resource is tried in turn.
 */

/** What a unit of several replicas can have its cards of. */
interface ResourceChoice {
  readonly unit: ChosenUnit;
  /** Each has room for all of its replicas, if nothing else comes. Those first that most replicas would get if they were free to. */
  readonly resources: readonly string[];
  /** For how many of its replicas each has room that has any. By name. */
  readonly rooms: readonly ResourceRoom[];
  /** Whether nobody can tell the unit from the one of the choice before. */
  readonly isLikeLast: boolean;
}

interface ResourceRoom {
  readonly resource: string;
  readonly room: number;
}

/** Whether no unit has cards of several resources. */
export function isOfOneResource({ need, options }: PlacedNeed): boolean {
  if (need.gpus === undefined || need.count === 1) return true;
  let at = 0;
  for (const { unit } of need.units) {
    const first = resourceOf(options[at]);
    for (const end = at + unit.count; at < end; at += 1) if (resourceOf(options[at]) !== first) return false;
  }
  return true;
}

/** Of all units that could have cards of several resources, in an order that does not depend on theirs. `roomFor` says how many replicas of one unit there is room for. */
export function resourceChoices(
  placed: readonly PlacedNeed[],
  index: NodeIndex,
  roomFor: (unit: ChosenUnit) => number,
): readonly ResourceChoice[] {
  return placed.flatMap(({ need, options }) => {
    const resources = servingResources(need, index, options);
    if (resources.length < 2) return [];
    const byCount = need.units.filter(({ unit }) => unit.count > 1).toSorted((a, b) => b.unit.count - a.unit.count);
    let last: ResourceChoice | undefined;
    return byCount.map((unit): ResourceChoice => {
      const isLikeLast = last?.unit.unit.count === unit.unit.count;
      last = { ...(isLikeLast && last !== undefined ? last : roomsOf(unit, resources, roomFor)), unit, isLikeLast };
      return last;
    });
  });
}

/** Why a unit cannot have all its cards of one resource, which it could have of several. Of one unit alone, nobody needs to be told which it is. */
export function mixedReason({ unit: { unit }, rooms }: ResourceChoice, unitCount: number): Reason {
  const who = unitCount === 1 ? '' : `unit ${unit.id}: `;
  const found = rooms.map(({ resource, room }) => `${room} with GPUs of ${resource}`).join(' and ');
  return { code: 'NoRoom', message: `${who}there is room for ${found}, but all ${unit.count} replicas must have GPUs of one resource` };
}

/** The units with every choice of one resource for each. Units that are alike may be swapped, so that each choice of theirs comes in one order only. */
export function* heldUnits(units: readonly ChosenUnit[], choices: readonly ResourceChoice[]): Iterable<readonly ChosenUnit[]> {
  for (const chosen of everyChoice(choices, [])) {
    const held = new Map(choices.map(({ unit, resources }, at) => [unit.unit.id, resources[chosen[at] ?? 0]])); // id -> resource
    yield units.map((unit) => heldTo(held.get(unit.unit.id), unit));
  }
}

function* everyChoice(choices: readonly ResourceChoice[], before: readonly number[]): Iterable<readonly number[]> {
  const choice = choices[before.length];
  if (choice === undefined) {
    yield before;
    return;
  }
  const from = choice.isLikeLast ? (before.at(-1) ?? 0) : 0;
  for (let at = from; at < choice.resources.length; at += 1) yield* everyChoice(choices, [...before, at]);
}

function roomsOf(
  unit: ChosenUnit,
  resources: readonly string[],
  roomFor: (unit: ChosenUnit) => number,
): Pick<ResourceChoice, 'resources' | 'rooms'> {
  const rooms = resources.map((resource) => ({ resource, room: roomFor(heldTo(resource, unit)) }));
  return {
    resources: rooms.filter(({ room }) => room >= unit.unit.count).map(({ resource }) => resource),
    rooms: rooms.filter(({ room }) => room > 0).toSorted((a, b) => (a.resource < b.resource ? -1 : 1)),
  };
}

function servingResources(need: Need, { shelves }: NodeIndex, options: readonly Option[]): readonly string[] {
  if (need.gpus === undefined || need.gpus.resource !== undefined) return [];
  const chosen = new Map<string, number>(); // resource -> replicas that got it
  for (const { kind } of shelves) if (need.serves(kind)) chosen.set(kind.resource, 0);
  for (const option of options) {
    const resource = resourceOf(option) ?? '';
    chosen.set(resource, (chosen.get(resource) ?? 0) + 1);
  }
  return [...chosen].toSorted(([a, some], [b, others]) => others - some || (a < b ? -1 : 1)).map(([resource]) => resource);
}

const resourceOf = (option: Option | undefined): string | undefined => option?.node.offers[option.offer]?.kind.resource;

function heldTo(resource: string | undefined, chosen: ChosenUnit): ChosenUnit {
  const { unit } = chosen;
  if (resource === undefined || unit.gpus === undefined) return chosen;
  return { ...chosen, unit: { ...unit, gpus: { ...unit.gpus, resource } } };
}
