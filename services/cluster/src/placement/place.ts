import type { Option } from './candidates.ts';
import { chosenUnits, classChoices } from './chosen-classes.ts';
import { type CommitLevels, soldOnce } from './commit-level.ts';
import { Draft } from './draft.ts';
import { type PlacedNeed, placeGreedily, type SpreadPolicy } from './greedy.ts';
import { type ChosenUnit, fullReason, fullSpaces, type Need, needsOf } from './needs.ts';
import { heldUnits, isOfOneResource, mixedReason, resourceChoices } from './one-resource.ts';
import type { Placing, Plan, PlannedReplica, PlannedUnit, PlannedVolume } from './plan.ts';
import { type GpuNeed, isPersistent, type Request } from './request.ts';
import { resettle } from './resettle.ts';
import { PlacementSearch } from './search.ts';
import { OutOfSteps, StepBudget } from './step-budget.ts';
import type { Stock } from './stock.ts';
import type { Reason } from './stock-facts.ts';
import type { StorageClasses } from './storage-classes.ts';

export interface PlacingOptions {
  readonly levels?: CommitLevels | undefined;
  readonly spread?: SpreadPolicy | undefined;
  readonly maxSteps?: number | undefined;
}

const defaultMaxSteps = 100_000;

/**
 * Where the request would go, without taking anything: Stock.hold of the plan's holds does. The same stock gives the same answer, whatever its nodes are called
 * and in whichever order they and the units came. The request must keep the limits: checkRequest says so.
 */
export function place(
  stock: Stock,
  request: Request,
  options: PlacingOptions = {},
  budget = new StepBudget(options.maxSteps ?? defaultMaxSteps),
): Placing {
  const reasons = endpointReasons(stock, request);
  const choices = classChoices(request, stock.storage, reasons);
  if (reasons.length > 0) return { kind: 'refusal', reasons };
  const hopeless = choices.some(({ volumes }) => volumes.some(({ length }) => length > 1))
    ? reasonsBesideVolumes(stock, request, options, budget)
    : [];
  if (hopeless.length > 0) return { kind: 'refusal', reasons: hopeless };
  try {
    // Which classes are chosen rarely matters: to search before the easy way was tried with all of them would cost most requests far more.
    for (const attempt of attempts) {
      for (const units of chosenUnits(choices)) {
        const placed = attempt(budget, stock, units, options, reasons);
        if (placed !== undefined) return { kind: 'plan', plan: planFrom(stock.storage, request, placed) };
        for (const { volumes } of choices) budget.spend(1 + volumes.length);
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof OutOfSteps)) throw thrown;
    return { kind: 'undecided', steps: budget.max };
  }
  return { kind: 'refusal', reasons: [...new Map(reasons.map((reason) => [reason.message, reason])).values()] };
}

type Attempt = (
  budget: StepBudget,
  stock: Stock,
  units: readonly ChosenUnit[],
  options: PlacingOptions,
  reasons: Reason[],
) => readonly PlacedNeed[] | undefined;

const placeEasily: Attempt = (budget, { index, storage }, units, { levels = soldOnce, spread = 'apart' }) => {
  if (fullSpaces(units, storage).length > 0) return undefined;
  const needs = needsOf(units, storage, levels);
  return placeGreedily(index, new Draft(storage, needs), needs, spread, budget);
};

const placeBySearch: Attempt = (budget, stock, units, { levels = soldOnce, spread = 'apart' }, reasons) => {
  const full = fullSpaces(units, stock.storage);
  if (full.length > 0) {
    reasons.push(...full.map(fullReason));
    return undefined;
  }
  const search = new PlacementSearch(stock, needsOf(units, stock.storage, levels), budget);
  const found = search.run();
  if (found === undefined) reasons.push(...roomReasons(search, units.length));
  else resettle(stock.index, found.draft, found.placed, spread, budget);
  return found?.placed;
};

/** So that all replicas of a unit have cards of one resource. Without that rule first: where nothing fits so, nothing fits with it. */
const ofOneResource =
  (attempt: Attempt): Attempt =>
  (budget, stock, units, options, reasons) => {
    const placed = attempt(budget, stock, units, options, reasons);
    if (placed === undefined || placed.every(isOfOneResource)) return placed;
    const choices = resourceChoices(placed, stock.index, (unit) => {
      const search = new PlacementSearch(stock, needsOf([unit], stock.storage, options.levels ?? soldOnce), budget);
      return search.hopeless[0]?.room ?? unit.unit.count;
    });
    const mixed = choices.filter(({ resources }) => resources.length === 0);
    reasons.push(...mixed.map((choice) => mixedReason(choice, units.length)));
    if (mixed.length > 0) return undefined;
    for (const held of heldUnits(units, choices)) {
      budget.spend(1 + held.length);
      const found = attempt(budget, stock, held, options, []);
      if (found !== undefined) return found;
    }
    reasons.push(mixedTogether);
    return undefined;
  };

const mixedTogether: Reason = {
  code: 'NoRoomTogether',
  message: 'each unit would fit alone; no placement holds all of them together in which all replicas of a unit have GPUs of one resource',
};

const attempts: readonly Attempt[] = [ofOneResource(placeEasily), ofOneResource(placeBySearch)];

/** Why it fits with no choice of classes: there may be more of these than could ever be tried. */
function reasonsBesideVolumes(
  stock: Stock,
  { units }: Request,
  { levels = soldOnce }: PlacingOptions,
  budget: StepBudget,
): readonly Reason[] {
  const bare = units.map((unit) => ({ unit: { ...unit, volumes: unit.volumes.filter((volume) => !isPersistent(volume)) }, classes: [] }));
  const search = new PlacementSearch(stock, needsOf(bare, stock.storage, levels), budget);
  return search.hopeless.length === 0 ? [] : roomReasons(search, units.length);
}

function portsOf({ units }: Request): number {
  let sum = 0;
  for (const { randomPorts = 0 } of units) sum += randomPorts;
  return sum;
}

const ipsOf = ({ units }: Request): number =>
  units.some(({ leasedIps = [] }) => leasedIps.length > 0) ? new Set(units.flatMap(({ leasedIps = [] }) => leasedIps)).size : 0;

function endpointReasons(stock: Stock, request: Request): Reason[] {
  const ports = portsOf(request);
  const ips = ipsOf(request);
  const reasons: Reason[] = [];
  const { freePorts, freeIps } = stock;
  if (ports > 0 && ports > freePorts)
    reasons.push({ code: 'TooFewPorts', message: freeText(ports, ports === 1 ? 'external port' : 'external ports', freePorts) });
  if (ips === 0) return reasons;
  if (freeIps === 'unknown')
    reasons.push({ code: 'IpCapacityUnknown', message: 'leased addresses are asked for, and it is not known how many are free' });
  else if (ips > freeIps)
    reasons.push({ code: 'TooFewIps', message: freeText(ips, ips === 1 ? 'leased address' : 'leased addresses', freeIps) });
  return reasons;
}

const freeText = (asked: number, what: string, free: number): string =>
  `${asked} ${what} ${isOrAre(asked)} asked for; ${Math.max(free, 0)} ${isOrAre(free)} free`;

const isOrAre = (count: number): string => (count === 1 ? 'is' : 'are');

/** Of one unit alone, nobody needs to be told which it is. */
function roomReasons(search: PlacementSearch, unitCount: number): readonly Reason[] {
  if (search.hopeless.length === 0) {
    const message = 'each unit would fit alone; no placement holds all of them together';
    return [{ code: 'NoRoomTogether', message: `${message}${podSlotWords(search, search.needs)}` }];
  }
  return search.hopeless.map(({ need, room }) => {
    const ids = need.units.map(({ unit }) => unit.id);
    const who = unitCount === 1 ? '' : ids.length === 1 ? `unit ${ids.join()}: ` : `units ${ids.join(', ')}: `;
    const what = room === 0 ? 'no single node can hold one replica' : `there is room for ${room} of ${need.count} replicas`;
    const resource = need.gpus?.resource;
    const which = resource === undefined ? '' : ` with GPUs of ${resource}, as the others of the unit have`;
    const slots = room === 0 ? '' : podSlotWords(search, [need]);
    return { code: 'NoRoom', message: `${who}${what}${which}${slots}` };
  });
}

/** Empty where there are enough. No node lacks one for a single replica: which resource is too little for all of them is seen on none. */
function podSlotWords(search: PlacementSearch, needs: readonly Need[]): string {
  const needed = needs.reduce((sum, { count }) => sum + count, 0);
  const free = search.podSlotsFor(needs);
  return free >= needed ? '' : `: they need ${needed} pod slots, and nodes that could run one of them have ${free} free`;
}

function planFrom(storage: StorageClasses, request: Request, placed: readonly PlacedNeed[]): Plan {
  const units: PlannedUnit[] = [];
  for (const { need, options } of placed) {
    let next = 0;
    for (const chosen of need.units) {
      const own = options.length === chosen.unit.count ? options : options.slice(next, next + chosen.unit.count);
      units.push(plannedUnit(storage, need, chosen, own));
      next += chosen.unit.count;
    }
  }
  if (units.length > 1) {
    const order = request.units.map(({ id }) => id);
    units.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  }
  return { units, ports: portsOf(request), ips: ipsOf(request) };
}

function plannedUnit(
  storage: StorageClasses,
  { cpu, memory, ephemeral, gpus }: Need,
  { unit, classes }: ChosenUnit,
  options: readonly Option[],
): PlannedUnit {
  return {
    id: unit.id,
    cpuMillis: cpu,
    memoryBytes: memory,
    ephemeralBytes: ephemeral,
    volumes:
      classes.length === 0
        ? noVolumes
        : unit.volumes.filter(isPersistent).map(({ name, bytes }, at) => {
            const facts = classes[at];
            return {
              name,
              class: facts?.name ?? '',
              bytes,
              space:
                facts &&
                storage.plannedSpace(
                  facts,
                  options.map(({ node }) => node.name),
                ),
            };
          }),
    replicas: options.map((option) => replicaOf(option, gpus)),
  };
}

const noVolumes: readonly PlannedVolume[] = [];

function replicaOf({ node, offer }: Option, gpus: GpuNeed | undefined): PlannedReplica {
  const kind = gpus === undefined ? undefined : node.offers[offer]?.kind;
  if (gpus === undefined || kind === undefined) return { node: node.name, uid: node.uid };
  return { node: node.name, uid: node.uid, cards: { resource: kind.resource, group: kind.group, count: gpus.count, groups: kind.groups } };
}
