import { amountText } from '@quartermaster/api/states';
import { offersOf, serviceOf } from '../placement/card-offer.ts';
import type { NodeState } from '../placement/node-state.ts';
import type { Request } from '../placement/request.ts';
import type { Stock } from '../placement/stock.ts';
import type { ClassFacts, NodeFacts } from '../placement/stock-facts.ts';
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
  const problems = new Map<string, PlanProblem>(); // node and message -> problem
  for (const each of waiting) {
    const { node } = each.replica;
    const volumes = holds.nodes.get(node)?.volumes ?? new Map<string, number>();
    for (const { type, message } of problemsOf(stock, request, each, volumes)) problems.set(`${node} ${message}`, { type, node, message });
  }
  return [...problems.values()];
}

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
  unclaimed: ReadonlyMap<string, number>,
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
  return [...cardProblems(node, request, waiting), ...classProblems(stock, node, waiting, unclaimed)].map((message) => ({
    type: 'PlanOutdated',
    message,
  }));
}

function cardProblems(node: NodeState, request: Request, { unit, replica: { cards } }: WaitingReplica): readonly string[] {
  const need = request.units.find(({ id }) => id === unit.id)?.gpus;
  if (cards === undefined || need === undefined) return [];
  const isServed = node.offers.some(
    ({ kind }) => kind.resource === cards.resource && kind.group === cards.group && serviceOf(kind, need) === 'served',
  );
  return isServed ? [] : [`node ${node.name} can no longer be held to the cards of unit ${unit.id}`];
}

/** Of volumes that are still to be made. A class of which nobody knows how much is free is still the planned one. */
function classProblems(
  { storage }: Stock,
  node: NodeState,
  { unit }: WaitingReplica,
  unclaimed: ReadonlyMap<string, number>,
): readonly string[] {
  return unit.volumes.flatMap(({ class: name, bytes }) => {
    if (!unclaimed.has(name)) return [];
    const facts = storage.get(name);
    if (facts === undefined || facts.isGone === true) return [`storage class ${name} is gone`];
    if (facts.refusal !== undefined) return [`storage class ${name} is not offered: ${facts.refusal.message}`];
    if (!node.usableClasses.has(name)) return [`node ${node.name} can no longer use storage class ${name}`];
    if (bytes > (facts.largestVolumeBytes ?? bytes))
      return [`storage class ${name} can no longer hold a volume of ${amountText(`storage/${name}`, bytes)}`];
    return [];
  });
}
