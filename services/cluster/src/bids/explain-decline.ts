import type { Clock } from '@quartermaster/kernel';
import { explain } from '../placement/explain.ts';
import type { NodeGroup } from '../placement/node-reasons.ts';
import type { PlacingOptions } from '../placement/place.ts';
import type { Request } from '../placement/request.ts';
import type { Stock } from '../placement/stock.ts';
import type { Reason } from '../placement/stock-facts.ts';

/** Why nodes cannot take what was declined; empty when there is no time to say so. */
export type ExplainDecline = (request: Request) => readonly Reason[];

const groupsTold = 3;
/** However many orders are declined: of ten parts of the time, nine are left to those that fit. */
const restsPerExplanation = 9;

export function explainDeclines(stock: () => Stock, placing: PlacingOptions, clock: Pick<Clock, 'monotonic'>): ExplainDecline {
  let nextAt = 0;
  return (request) => {
    const startedAt = clock.monotonic();
    if (startedAt < nextAt) return [];
    const { nodes } = explain(stock(), request, { ...placing, withChanges: false });
    nextAt = clock.monotonic() + (clock.monotonic() - startedAt) * restsPerExplanation;
    const lacking = nodes.filter(({ shortfalls }) => shortfalls.length > 0);
    return lacking.slice(0, groupsTold).map((group) => reasonOf(group, request.units.length > 1));
  };
}

function reasonOf({ shortfalls, nodes, named }: NodeGroup, hasUnits: boolean): Reason {
  const more = nodes - named.length;
  const names = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  const subject = nodes === 1 ? 'it' : 'each';
  const lacks = shortfalls.map(
    ({ unit, reason }) => `${hasUnits && unit !== undefined ? `for unit ${unit} ` : ''}${subject} ${reason.message}`,
  );
  return {
    code: shortfalls[0]?.reason.code ?? 'Various',
    message: `${nodes} ${nodes === 1 ? 'node' : 'nodes'} (${names}): ${lacks.join('; ')}`,
  };
}
