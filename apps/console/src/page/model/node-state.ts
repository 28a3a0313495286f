import type { ConsoleNode } from '../../console-source.ts';
import { isUsable } from '../../topics/cluster-summary.ts';

/** The five fills of the console, and plain for what needs none. The same everywhere: dots, bars, tables. */
export type Tone = 'allocated' | 'reserved' | 'good' | 'held' | 'failed' | 'unknown' | 'plain';

/** Ready is good, unless someone holds it back; of the others, the silent ones are unknown and the rest has failed. */
export function nodeTone(node: Pick<ConsoleNode, 'isReady' | 'state'>): Tone {
  if (node.isReady) return isUsable(node) ? 'good' : 'held';
  return /unknown|stopped posting|no heartbeat|silent/i.test(node.state) ? 'unknown' : 'failed';
}

export function podTone(phase: string): Tone {
  switch (phase) {
    case 'Running':
      return 'allocated';
    case 'Pending':
      return 'reserved';
    case 'Failed':
      return 'failed';
    case 'Unknown':
      return 'unknown';
    default:
      return 'plain';
  }
}
