import type { Change } from '../src/placement/nearest-changes.ts';
import type { Request, Unit } from '../src/placement/request.ts';

/** The request with the change, and so many steps more than it says. */
export function changed(request: Request, change: Change, more: number): Request {
  if (change.kind === 'release') return request;
  return { units: request.units.map((unit) => (unit.id === change.unit ? changedUnit(unit, change, more) : unit)) };
}

function changedUnit(unit: Unit, change: Exclude<Change, { readonly kind: 'release' }>, more: number): Unit {
  if (change.kind === 'other-model') {
    const { vendor, model, memoryBytes, interface: form } = change.group;
    return { ...unit, gpus: { count: unit.gpus?.count ?? 0, wants: [{ vendor, model, memoryBytes, interface: form }] } };
  }
  const { what, to, from } = change;
  switch (what) {
    case 'replicas':
      return { ...unit, count: to + more };
    case 'gpus':
      return { ...unit, gpus: { count: to + more, wants: unit.gpus?.wants ?? [] } };
    case 'cpu-millis':
      return { ...unit, cpuMillis: Math.min(to + more * 100, from) };
    case 'memory-bytes':
      return { ...unit, memoryBytes: Math.min(to + more * 2 ** 20, from) };
    case 'storage-bytes': {
      const at = unit.volumes.findIndex(({ name }) => name === change.volume);
      return {
        ...unit,
        volumes: unit.volumes.map((volume, i) => (i === at ? { ...volume, bytes: Math.min(to + more * 2 ** 20, from) } : volume)),
      };
    }
  }
}
