import type { KubeTransport } from '@quartermaster/kube';
import { z } from 'zod';
import type { ApiFaults } from './fault-book.ts';

const activeSchema = z.object({ id: z.int(), fault: z.looseObject({ kind: z.string() }) });
const listSchema = z.object({ faults: z.array(activeSchema) });

// Faults that happen once -> the path under which the simulated API server takes them.
const onceKinds: ReadonlyMap<string, string> = new Map([
  ['cut-watches', 'cut-watches'],
  ['expire', 'compact'],
]);
const onceSchema = z.strictObject({ kind: z.string(), resource: z.string().optional() });
const path = '/simulator/faults';

/** The faults of a simulated API server, through its own API. */
export function apiFaults(transport: Pick<KubeTransport, 'json'>): ApiFaults {
  const list = async () => {
    const { faults } = listSchema.parse(await transport.json({ what: 'list faults', method: 'GET', path }));
    return faults.map(({ id, fault }) => ({ id: String(id), fault }));
  };
  return {
    list,
    add: async (fault) => {
      const once = onceSchema.safeParse(fault);
      const action = once.success ? onceKinds.get(once.data.kind) : undefined;
      if (once.success && action !== undefined) {
        const query = { resource: once.data.resource };
        await transport.json({ what: once.data.kind, method: 'POST', path: `${path}/${action}`, query });
        return undefined;
      }
      const body = JSON.stringify(fault);
      const added = await transport.json({ what: 'add a fault', method: 'POST', path, body, contentType: 'application/json' });
      return String(activeSchema.parse(added).id);
    },
    remove: async (id) => {
      if (!(await list()).some((each) => each.id === id)) return false;
      await transport.json({ what: 'remove a fault', method: 'DELETE', path: `${path}/${encodeURIComponent(id)}` });
      return true;
    },
  };
}
