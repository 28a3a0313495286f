import type { RunningLeaseJson } from '@quartermaster/api/cluster';
import { leaseState } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { leaseNumbers } from '../lease-model/lease-words.ts';
import { leaseHref } from '../lease-model/use-leases.ts';
import { Step } from './chain.tsx';

/** A lease by its numbers; whose it is and how, on hover. */
export function LeaseLink({ lease: { order = {}, state } }: { readonly lease: RunningLeaseJson }) {
  return (
    <Link href={leaseHref(order)} title={`${order.owner ?? ''}: ${leaseState(state).word.toLowerCase()}`}>
      lease {leaseNumbers(order)}
    </Link>
  );
}

/** A lease as a step of a chain. */
export function LeaseStep({ lease: { order = {}, state } }: { readonly lease: RunningLeaseJson }) {
  const { tone, word } = leaseState(state);
  return <Step tone={tone} word={word.toLowerCase()} name={`lease ${leaseNumbers(order)}`} href={leaseHref(order)} />;
}
