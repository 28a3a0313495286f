import { amountText } from '@quartermaster/api/states';
import { offersOf, serviceOf } from '../placement/card-offer.ts';
import type { NodeState } from '../placement/node-state.ts';
import type { Request } from '../placement/request.ts';
import type { Stock } from '../placement/stock.ts';
import type { ClassFacts, NodeFacts } from '../placement/stock-facts.ts';
import { isUntold } from '../placement/storage-classes.ts';
import type { NetHolds } from './net-holds.ts';
import type { WaitingReplica } from './waiting-replicas.ts';

/** Why a replica cannot start where it is planned, however much room there is. */
export interface PlanProblem {
  readonly type: 'NodeGone' | 'NodeHeldBack' | 'PlanOutdated';
  readonly node: string;
  readonly message: string;
}

/** Each once. Replicas that run are where they are, whatever the plan said. */
export function planProblems(stock: Stock, request: Request, { holds, waiting }: NetHolds): readonly PlanProblem[] {
  let problems: Map<string, PlanProblem> | undefined; // node and message -> problem
  for (const each of waiting) {
    const { node } = each.replica;
    const found = problemsOf(stock, request, each, holds.nodes.get(node)?.volumes);
    for (const { type, message } of found) (problems ??= new Map()).set(`${node} ${message}`, { type, node, message });
  }
  return problems === undefined ? none : [...problems.values()];
}

/** Of nearly every plan. */
const none: readonly never[] = [];

/** All of a node that a problem can come from, as text: amounts make none. */
export function reliedOnNode(facts: NodeFacts | undefined): string {
  if (facts === undefined) return '';
  return JSON.stringify([facts.uid, facts.heldBack, offersOf(facts.cards, 0).map(({ kind }) => kind.key), facts.storageClasses]);
}

export const reliedOnClass = (facts: ClassFacts | undefined): string =>
  facts === undefined ? '' : JSON.stringify([facts.name, facts.refusal, facts.largestVolumeBytes]);

function problemsOf(
  stock: Stock,
  request: Request,
  waiting: WaitingReplica,
  unclaimed: ReadonlyMap<string, number> | undefined,
): readonly Omit<PlanProblem, 'node'>[] {
  const { node: name, uid } = waiting.replica;
  const node = stock.node(name);
  const facts = node?.facts;
  if (node === undefined || facts === undefined) return [{ type: 'NodeGone', message: `node ${name} is gone` }];
  if (facts.uid !== uid) return [{ type: 'NodeGone', message: `node ${name} is gone: another one has its name now` }];
  if (facts.heldBack.length > 0) {
    const reasons = facts.heldBack.map(({ message }) => message).join('; ');
    return [{ type: 'NodeHeldBack', message: `node ${name} takes nothing new: ${reasons}` }];
  }
  const cards = cardProblems(node, request, waiting);
  const classes = unclaimed === undefined ? none : classProblems(stock, node, waiting, unclaimed);
  if (cards.length === 0 && classes.length === 0) return none;
  return [...cards, ...classes].map((message) => ({ type: 'PlanOutdated', message }));
}

function cardProblems(node: NodeState, request: Request, { unit, replica: { cards } }: WaitingReplica): readonly string[] {
  const need = request.units.find(({ id }) => id === unit.id)?.gpus;
  if (cards === undefined || need === undefined) return none;
  for (const { kind } of node.offers)
    if (kind.resource === cards.resource && kind.group === cards.group && serviceOf(kind, need) === 'served') return none;
  return [`node ${node.name} can no longer be held to the cards of unit ${unit.id}`];
}

/** Of volumes that are still to be made. A class of which nobody knows how much is free is still the planned one. */
function classProblems(
  { storage }: Stock,
  node: NodeState,
  { unit }: WaitingReplica,
  unclaimed: ReadonlyMap<string, number>,
): readonly string[] {
  if (unclaimed.size === 0) return none;
  return unit.volumes.flatMap(({ class: name, bytes }) => {
    if (!unclaimed.has(name)) return [];
    const facts = storage.get(name);
    if (facts === undefined || facts.isGone === true) return [`storage class ${name} is gone`];
    if (isUntold(facts)) return [];
    if (facts.refusal !== undefined) return [`storage class ${name} is not offered: ${facts.refusal.message}`];
    if (!node.usableClasses.has(name)) return [`node ${node.name} can no longer use storage class ${name}`];
    if (bytes > (facts.largestVolumeBytes ?? bytes))
      return [`storage class ${name} can no longer hold a volume of ${amountText(`storage/${name}`, bytes)}`];
    return [];
  });
}
