import type { CardGroupJson, ExplainFitResponseJson, NearestChangeJson, NodeGroupJson, PlanJson } from '@quartermaster/api/cluster';
import { amountWords, orderText } from '@quartermaster/api/states';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { momentOf } from '../api/api-words.ts';
import { useNow } from '../live/use-live.ts';
import { nodeHref } from '../model/addresses.ts';
import { countOf, formatInteger } from '../model/amounts.ts';
import { groupName, numberOf } from '../model/card-names.ts';
import { formatDuration, formatMoments } from '../model/relative-time.ts';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { useQueryChange } from '../parts/table/use-query.ts';
import { nodesOf, shortOrder } from '../reservations/reservation-words.ts';
import { reservationHref } from '../reservations/use-reservations.ts';
import { serviceProblem, useClusterStatus } from '../upstreams/use-cluster-service.ts';
import { FitForm } from './fit-form.tsx';
import { type FitField, type FitTexts, fieldOf, fitFields, readOrder } from './fit-order.ts';
import { changedFields, groupWords, planVerdict, refusalVerdict, releaseTime, releaseWords } from './fit-words.ts';
import { namedNodes, useFit } from './use-fit.ts';

const noGroups: readonly CardGroupJson[] = [];

/** Whether an order would be reserved now, where it would go, and if not: why not, and what would. The order is in the address. */
export function FitPanel() {
  const [params] = useSearchParams();
  const { status, why } = useClusterStatus();
  const texts = useMemo(() => Object.fromEntries(fitFields.map((field) => [field, params.get(field) ?? ''])) as FitTexts, [params]);
  const known = useMemo(() => status?.availability && (status.availability.gpus ?? []).flatMap(({ group }) => group ?? []), [status]);
  const groups = known ?? noGroups;
  const classes = useMemo(() => (status?.availability?.storage ?? []).flatMap(classNames), [status]);
  const { request, isWaiting, problems, notes } = useMemo(() => readOrder(texts, known), [texts, known]);
  const { data, isCurrent, problem } = useFit(request);
  const refused = useMemo(() => Object.fromEntries(problem?.violations.flatMap(violationIn) ?? []), [problem]);
  const isInvalid = problem?.code === 'invalid_argument';
  const rest = problem?.violations.filter(({ field }) => fieldOf(field) === undefined) ?? [];
  return (
    <Panel title="Will it fit?" aside="as the cluster service would decide now; nothing is reserved">
      <FitForm
        texts={texts}
        problems={{ ...(request !== undefined && isInvalid && refused), ...problems }}
        notes={notes}
        models={[...new Set(groups.map(groupName))].toSorted()}
        classes={[...new Set(classes)]}
      />
      <div className="fit-answer" aria-live="polite" aria-busy={request !== undefined && !isCurrent && problem === undefined}>
        {request === undefined && !isWaiting && (
          <p className="empty-line">Enter what one replica needs: cores and memory, and GPUs or storage where it needs them.</p>
        )}
        {isWaiting && (
          <p className="fit-verdict">
            <StateWord tone="unknown" word={`Not known: ${why ?? 'The cluster service has not read the inventory yet.'}`} />
          </p>
        )}
        {request !== undefined && problem !== undefined && !isInvalid && (
          <p className="fit-verdict">
            <StateWord tone="unknown" word={`Not known: ${serviceProblem(problem)}`} />
          </p>
        )}
        {request !== undefined &&
          isInvalid &&
          rest.map(({ field, description }) => <p key={field} className="empty-line">{`${field} ${description}`}</p>)}
        {request !== undefined && problem === undefined && data !== undefined && <Answer answer={data} groups={groups} />}
      </div>
    </Panel>
  );
}

/** By its own name, and by the performance that it is sold as. */
const classNames = ({
  storageClass = '',
  performance,
}: {
  readonly storageClass?: string;
  readonly performance?: string;
}): readonly string[] => (performance === undefined ? [storageClass] : [storageClass, performance]);

function violationIn({
  field,
  description,
}: {
  readonly field: string;
  readonly description: string;
}): readonly (readonly [FitField, string])[] {
  const own = fieldOf(field);
  return own === undefined ? [] : [[own, description]];
}

function Answer({ answer, groups }: { readonly answer: ExplainFitResponseJson; readonly groups: readonly CardGroupJson[] }) {
  const { plan, refusal = {}, nodeGroups = [] } = answer;
  if (plan !== undefined) {
    return (
      <>
        <p className="fit-verdict">
          <StateWord {...wordOf(planVerdict(plan))} />
        </p>
        <PlanByNode plan={plan} />
      </>
    );
  }
  const { summary = '', nearestChanges = [] } = refusal;
  // What the sentence above has said is not said again.
  const reasons = (refusal.reasons ?? []).filter(({ message = '' }) => !summary.includes(message));
  const short = nodeGroups.filter(({ shortfalls = [] }) => shortfalls.length > 0);
  return (
    <>
      <p className="fit-verdict">
        <StateWord {...wordOf(refusalVerdict(refusal))} />
      </p>
      {reasons.length > 0 && (
        <ul className="fit-lines">
          {reasons.map(({ code, message }) => (
            <li key={code}>{message}</li>
          ))}
        </ul>
      )}
      {nearestChanges.length > 0 && (
        <>
          <h3 className="fit-heading">What would fit</h3>
          <ul className="fit-lines">
            {nearestChanges.map((change) => (
              <li key={JSON.stringify(change)}>
                <Change change={change} groups={groups} />
              </li>
            ))}
          </ul>
        </>
      )}
      {short.length > 0 && (
        <>
          <h3 className="fit-heading">
            {refusal.kind === 'REFUSAL_KIND_NOT_KNOWN' ? 'What nodes lacked when last known' : 'Why not, node by node'}
          </h3>
          <ul className="fit-lines">
            {short.map((group) => (
              <li key={`${groupWords(group)} ${group.nodes?.[0] ?? ''}`} className="fit-reason">
                <span>{groupWords(group)}</span>
                <NamedNodes group={group} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

const wordOf = ({ tone, text }: ReturnType<typeof planVerdict>) => ({ tone, word: text });

/** Where replicas go; the fullest nodes are not always the first. */
function PlanByNode({ plan }: { readonly plan: PlanJson }) {
  const nodes = nodesOf({ plan });
  const [ports, ips] = [plan.ports ?? 0, plan.leasedIps ?? 0];
  return (
    <p className="fit-plan">
      {nodes.slice(0, namedNodes).map(({ node, replicas }) => (
        <span key={node}>
          <Link href={nodeHref(node)}>{node}</Link> {countOf(replicas, 'replica')}
        </span>
      ))}
      {nodes.length > namedNodes && <span className="dim">and {countOf(nodes.length - namedNodes, 'more node')}</span>}
      {ports > 0 && <span>{amountWords('ports', ports)}</span>}
      {ips > 0 && <span>{amountWords('leased-ips', ips)}</span>}
    </p>
  );
}

/** A change of the order is a button that makes it; what others are about to give back has a time. */
function Change({ change, groups }: { readonly change: NearestChangeJson; readonly groups: readonly CardGroupJson[] }) {
  const fill = useQueryChange();
  const now = useNow();
  const fields = changedFields(change, groups);
  const { message = '', awaitRelease } = change;
  if (fields !== undefined) {
    return (
      <button type="button" className="link-button" onClick={() => fill(fields)}>
        {message}
      </button>
    );
  }
  if (awaitRelease === undefined) return <>{message}</>;
  const { orders = [], expectedAt } = awaitRelease;
  const at = momentOf(expectedAt);
  return (
    <>
      {releaseWords(orders.length)}{' '}
      {orders.map((order) => (
        <Link key={orderText(order)} href={reservationHref(order)} className="mono" title={orderText(order)}>
          {shortOrder(order)}{' '}
        </Link>
      ))}
      {at !== undefined && at > now && (
        <time className="dim" title={formatMoments(at)}>
          {releaseTime(orders.length, formatDuration(at - now))}
        </time>
      )}
    </>
  );
}

function NamedNodes({ group: { count, nodes = [] } }: { readonly group: NodeGroupJson }) {
  const unnamed = numberOf(count) - nodes.length;
  return (
    <span>
      {nodes.map((node) => (
        <Link key={node} href={nodeHref(node)}>
          {node}
        </Link>
      ))}
      {unnamed > 0 && <span className="dim">and {formatInteger(unnamed)} more</span>}
    </span>
  );
}
