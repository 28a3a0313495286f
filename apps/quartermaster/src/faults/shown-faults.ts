import type { SimulatedFaults } from '@quartermaster/console';
import type { FaultBook, FaultSettings } from './fault-book.ts';
import { settingText } from './setting-text.ts';

type Shown = SimulatedFaults['history'][number]['fault'];

/** The faults of a simulation as the console shows them. */
export async function shownFaults(book: Pick<FaultBook, 'list' | 'history'>): Promise<SimulatedFaults> {
  const [active, history] = await Promise.all([book.list(), book.history()]);
  return {
    active: active.map(({ id, fault, since }) => ({ ...shown(id, fault), since })),
    history: history.map(({ at, change, id, fault }) => ({ at, change, fault: shown(id, fault) })),
  };
}

function shown(id: string, { kind, node, ...settings }: FaultSettings): Shown {
  return {
    id,
    kind,
    node: typeof node === 'string' ? node : undefined,
    settings: Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, settingText(value)])),
  };
}
