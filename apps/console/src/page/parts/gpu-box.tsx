import type { GpuView } from '@quartermaster/api/inventory-views';
import { gpuState, reasonWords } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { useLeaseOfNamespace } from '../lease-model/use-leases.ts';
import { podHref } from '../model/addresses.ts';
import { CopyId } from './copy.tsx';
import { LeaseLink } from './lease-link.tsx';
import { StateWord } from './state-word.tsx';
import { ForHowLong } from './time-ago.tsx';

interface GpuBoxProps {
  readonly gpu: GpuView;
  readonly isChosen: boolean;
}

/** What a card is capable of, as far as it is known. */
function abilities({ architecture, computeCapability, nvlinks, nvlinkGroup, numaNode, mig }: GpuView): readonly string[] {
  const slices = mig === undefined ? [] : mig.enabled ? mig.instances : mig.profiles;
  return [
    architecture,
    computeCapability && `compute ${computeCapability}`,
    nvlinks && `${nvlinks} NVLinks${nvlinkGroup === undefined ? '' : `, group ${nvlinkGroup}`}`,
    numaNode === undefined ? undefined : `NUMA ${numaNode}`,
    mig && `MIG ${mig.enabled ? 'on' : 'off'}${slices.length === 0 ? '' : `: ${slices.join(' ')}`}`,
  ].filter((text): text is string => typeof text === 'string' && text !== '');
}

/** The pod that holds it; of a lease with the lease, whose name the namespace only repeats. */
function HolderLink({ holder: { namespace, pod } }: { readonly holder: NonNullable<GpuView['holder']> }) {
  const lease = useLeaseOfNamespace(namespace);
  return (
    <>
      {lease !== undefined && (
        <>
          <LeaseLink lease={lease} />
          {', pod '}
        </>
      )}
      <Link href={podHref(`${namespace}/${pod}`)} title={`${namespace}/${pod}`}>
        {lease === undefined ? `${namespace}/${pod}` : pod}
      </Link>
    </>
  );
}

/** What a card is, how it is, who holds it. */
export function GpuBox({ gpu, isChosen }: GpuBoxProps) {
  const { id, model, reason, holder, parts = [], pciAddress, driver, utilization } = gpu;
  const { word, tone } = gpuState(gpu);
  // That a card which nobody holds does nothing goes without saying.
  const isBusyKnown = utilization !== undefined && (utilization > 0 || holder !== undefined);
  return (
    <li className="gpu-box" aria-current={isChosen ? 'true' : undefined}>
      <span className={`gpu-edge fill-${tone}`} aria-hidden="true" />
      <strong>{model}</strong>
      <StateWord tone={tone} word={`${word}${isBusyKnown ? `, ${utilization}\u00a0%\u00a0busy` : ''}`} />
      {holder !== undefined && parts.length === 0 && (
        <span className="wrap">
          held by <HolderLink holder={holder} />
        </span>
      )}
      {parts.map((part) => (
        <span key={part.id} className="wrap" title={part.id}>
          {part.profile === '' ? 'share' : part.profile}:{' '}
          {part.holder === undefined ? <span className="dim">no holder known</span> : <HolderLink holder={part.holder} />}
        </span>
      ))}
      {reason !== undefined && (
        <span className="wrap">
          {reasonWords(reason.code)}
          <ForHowLong since={reason.since} />: {reason.message}
        </span>
      )}
      <span className="dim">
        {[pciAddress, driver === undefined ? undefined : `driver ${driver}`]
          .filter((text) => text !== undefined && text !== '')
          .join(' · ')}
      </span>
      <span className="dim wrap">{abilities(gpu).join(' · ')}</span>
      <CopyId id={id} />
    </li>
  );
}
