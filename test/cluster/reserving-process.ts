/**
 * One replica that writes reservations, as a process of its own: started by `ReservingProcess`, does what it is asked, dies or pauses where it is told to, and ends when the
 * process that started it does.
 */
import { codeOf, messageOf } from '@quartermaster/kernel';
import { KubeClient, type Leadership } from '@quartermaster/kube';
import { installStepKiller, stepVariable } from '@quartermaster/runtime/testing/step-killer';
import type { ProcessAnswer, ProcessOrder } from './reserving-process-order.ts';
import { half, ReservingReplica } from './reserving-replica.ts';

const [kubeconfig = '', namespace = '', identity = '', leaseMs] = process.argv.slice(2);
const client = await KubeClient.connect({ kubeconfig });
/** How many more writes get to their last moment before the process stops there. */
let writesToPause = 0;

/** Stops between the last look at the lease and the socket. */
function pausing(leadership: Leadership): Leadership {
  return {
    signal: leadership.signal,
    term: leadership.term,
    remainingMs: () => leadership.remainingMs(),
    assertHeld: () => {
      leadership.assertHeld();
      if (writesToPause === 0) return;
      writesToPause -= 1;
      if (writesToPause > 0) return;
      process.kill(process.pid, 'SIGSTOP');
      // The signal may take a moment to arrive, and nothing may leave before it does.
      for (const until = performance.now() + 20; performance.now() < until; );
    },
    verify: () => leadership.verify(),
  };
}

const replica = new ReservingReplica({ client, namespace, identity, leaseMs: Number(leaseMs), leadershipOf: pausing });
process.on('disconnect', () => process.exit());
process.on('message', (order: ProcessOrder) => {
  if (order.do === 'die') return installStepKiller({ [stepVariable]: order.step });
  if (order.do === 'pause') {
    writesToPause = { none: 0, create: 1, confirm: 2 }[order.write];
    return undefined;
  }
  return void answer(order).then((said) => process.send?.({ id: order.id, ...said }));
});
process.send?.({ id: 0 });

async function answer(order: Extract<ProcessOrder, { readonly id: number }>): Promise<Omit<ProcessAnswer, 'id'>> {
  const { reserver } = replica;
  if (reserver === undefined) return { code: 'unavailable', message: 'does not lead' };
  if (order.do === 'lead') return {};
  const id = { owner: 'akash1x', dseq: BigInt(order.dseq), gseq: 1, oseq: 1 };
  try {
    if (order.do === 'unreserve') return { uid: (await reserver.unreserve(id))?.uid ?? '' };
    const answered = await reserver.reserve({ order: id, owner: id.owner, request: half });
    return answered.kind === 'reserved' ? { uid: answered.reservation.uid } : { uid: '' };
  } catch (thrown) {
    return { code: codeOf(thrown), message: messageOf(thrown) };
  }
}
