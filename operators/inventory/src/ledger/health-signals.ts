import { type HealthSignal, type Held, heldBy, kubeletConditions } from '../config/health-signal.ts';
import type { Reason } from '../model/node-inventory.ts';
import type { ObservedNode } from '../model/observed.ts';

/** Cards that something other than their own health keeps from being sold. */
export interface GpuHold {
  readonly reason: Reason;
  /**
   * What each fault of the signal names: UUIDs of cards, and PCI addresses without their function. Nothing, where a fault names no card; and no fault at all,
   * where the signal only says that it is there.
   */
  readonly faults: readonly (readonly string[])[];
}

export interface HealthSignals {
  readonly node: readonly Reason[];
  readonly gpus: readonly GpuHold[];
  /** Keys of taints of which this tells. */
  readonly taints: ReadonlySet<string>;
}

type Taint = ObservedNode['taints'][number];

/** What others' health checks hold back on a node. A condition whose status is Unknown tells nothing unless a row names that status. */
export function healthSignals(
  { conditions, taints, labels }: Pick<ObservedNode, 'conditions' | 'taints' | 'labels'>,
  rows: readonly HealthSignal[],
  isTolerated: (taint: Taint) => boolean,
): HealthSignals {
  const node: Reason[] = [];
  const gpus: GpuHold[] = [];
  const add = (holds: Held, message: string, since?: number, said = ''): void => {
    if (holds === 'node') node.push({ code: 'HealthSignal', message, since });
    if (holds === 'gpus') gpus.push({ reason: { code: 'GpuHealthSignal', message, since }, faults: faultsOf(said) });
  };
  for (const { type, status, reason, message = '', since } of conditions) {
    if (kubeletConditions.has(type)) continue;
    const shown = message.slice(0, maxShown).replace(/[.;\s]+$/, '');
    const why = [reason === '' ? '' : ` (${reason})`, message === '' ? '' : `: ${shown}${message.length > maxShown ? '…' : ''}`].join('');
    add(heldBy(rows, 'condition', type, status), `The condition ${type} is ${status}${why}. ${wayOut}`, since, message);
  }
  const told = taints.filter(({ key, value }) => heldBy(rows, 'taint', key, value) !== 'nothing');
  for (const taint of told) {
    const { key, value, effect } = taint;
    const what = `The node has the taint ${key}${value === '' ? '' : `=${value}`}:${effect}, set by a health check`;
    // Where no pod can go, no card can be had.
    if (effect !== 'PreferNoSchedule' && !isTolerated(taint))
      add('node', `${what}. Mend what it found; who set the taint removes it then.`);
    else add(heldBy(rows, 'taint', key, value), `${what}. ${wayOut}`);
  }
  for (const [key, value] of Object.entries(labels)) {
    add(heldBy(rows, 'label', key, value), `The node has the label ${key}=${value}. ${wayOut}`);
  }
  return { node, gpus, taints: new Set(told.map(({ key }) => key)) };
}

/** Of a message: it is read by people from here on. */
const maxShown = 1024;

const wayOut = 'Mend it, or say under health_signals in the configuration that it holds nothing.';

const uuids = /\bGPU-[0-9a-z][0-9a-z-]*/gi;
const pciAddresses = /\b(?:[0-9a-f]{4})?([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2})(?:\.[0-7])?\b/gi;

/** NVSentinel lists the faults of a condition in its message, each ended by a semicolon, with the cards that have it. Where the list was cut, one more fault names none: it may be any card's. */
function faultsOf(said: string): GpuHold['faults'] {
  const faults = said.split(';').filter((fault) => fault.trim() !== '');
  const named = faults.map((fault) => {
    const addresses = [...fault.matchAll(pciAddresses)].map(([, address = '']) => address.toLowerCase());
    return [...(fault.match(uuids) ?? []), ...addresses];
  });
  return isCut(said.trimEnd()) ? [...named, []] : named;
}

/** Whoever lists faults ends the last one, too; a message without a list ends as it likes, but for dots. */
const isCut = (said: string): boolean => said.endsWith('...') || said.endsWith('…') || (said.includes(';') && !said.endsWith(';'));
