import type { ExplainFitResponse, Plan, ResourceRequest } from '@quartermaster/api/cluster';
import type { Look } from '../text/listing.ts';
import { indented } from '../text/table.ts';
import { nodesOf, planText, replicasOf } from './plan-text.ts';
import { refusalText } from './refusal-text.ts';

/** Whether a request would be placed, where, and otherwise why not and what would be. */
export function fitText({ outcome, nodeGroups }: ExplainFitResponse, request: ResourceRequest, look: Look): string {
  switch (outcome.case) {
    case 'plan':
      return `${fitsLine(outcome.value)}.\n\nPlan\n${indented(planText(outcome.value, look))}\n${roomText(nodeGroups)}`;
    case 'refusal': {
      const { value: refusal } = outcome;
      return refusalText({ refusal, nodeGroups, hasOneUnit: request.units.length === 1 }, look);
    }
    case undefined:
      return 'The service answered without saying whether it fits.\n';
  }
}

/** `It fits: 3 replicas on gpu-1, gpu-2`. */
export function fitsLine(plan: Plan): string {
  const replicas = replicasOf(plan);
  return `It fits: ${replicas} ${replicas === 1 ? 'replica' : 'replicas'} on ${nodesOf(plan).join(', ')}`;
}

/** Nodes that lack something are told of only where somebody asks why it does not fit. */
function roomText(groups: ExplainFitResponse['nodeGroups']): string {
  const all = groups.reduce((sum, { count }) => sum + count, 0n);
  const withRoom = groups.filter(({ shortfalls }) => shortfalls.length === 0).reduce((sum, { count }) => sum + count, 0n);
  return all === 0n ? '' : `${withRoom} of ${all} ${all === 1n ? 'node has' : 'nodes have'} room for a replica of every unit.\n`;
}
