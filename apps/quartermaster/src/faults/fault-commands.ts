import type { Output } from '../text/output.ts';
import { table } from '../text/table.ts';
import { connectFaults } from './fault-client.ts';
import { settingText } from './setting-text.ts';

/** Prints the faults in force. */
export async function listFaults(directory: string, { json }: { readonly json: boolean }, { out }: Output): Promise<void> {
  const faults = await connectFaults(directory).list();
  if (json) {
    out.write(`${JSON.stringify(faults)}\n`);
    return;
  }
  if (faults.length === 0) {
    out.write('No faults are active.\n');
    return;
  }
  const rows = faults.map(({ id, fault: { kind, ...settings } }) => [
    id,
    kind,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${settingText(value)}`)
      .join(' '),
  ]);
  out.write(table(['ID', 'KIND', 'SETTINGS'], rows));
}

/** Begins a fault and prints its id, alone on its line so that a script can keep it. */
export async function addFault(directory: string, fault: Readonly<Record<string, unknown>>, { out, err }: Output): Promise<void> {
  const id = await connectFaults(directory).add(fault);
  if (id === undefined) err.write('done; there is nothing to remove\n');
  else out.write(`${id}\n`);
}

export async function removeFaults(directory: string, ids: readonly string[], { err }: Output): Promise<void> {
  const faults = connectFaults(directory);
  for (const id of ids) {
    await faults.remove(id);
    err.write(`${id} removed\n`);
  }
}
