import { StatusError } from '@quartermaster/kernel';
import type { KubeWriter } from '@quartermaster/kube';

type Writer = Pick<KubeWriter, 'create' | 'replace' | 'delete'>;

/** The writes of a process that is killed after so many: the answer to the last never arrives, and no other leaves. */
export function dyingWriter(writer: Writer, writes: number): Writer {
  let made = 0;
  const write = async <T>(send: () => Promise<T>): Promise<T> => {
    made += 1;
    const answer = made <= writes ? await send() : undefined;
    if (made < writes && answer !== undefined) return answer;
    throw new StatusError('unavailable', 'no answer from the API server', { details: { kind: 'connection', errno: 'ECONNRESET' } });
  };
  return {
    create: (type, object, options) => write(() => writer.create(type, object, options)),
    replace: (type, object, options) => write(() => writer.replace(type, object, options)),
    delete: async (type, ref, options) => {
      await write(async () => {
        await writer.delete(type, ref, options);
        return true;
      });
    },
  };
}
