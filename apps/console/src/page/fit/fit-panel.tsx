import { nodesTopic, storageTopic } from '@quartermaster/api/inventory-views';
import { useDeferredValue, useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useTopic } from '../live/use-topic.ts';
import { nodeHref } from '../model/addresses.ts';
import { countOf, formatInteger } from '../model/amounts.ts';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { type FitAnswer, type FitOrder, fit, modelsOf } from './fit.ts';
import { FitForm } from './fit-form.tsx';
import { type FitTexts, fitFields, readOrder } from './fit-order.ts';
import { byLack, changeWords, verdict } from './fit-words.ts';

/** So many nodes are named; there may be thousands. */
const maxShown = 12;

/** Whether an order would fit, where it would go, and if not: why not, and what would. The order is in the address. */
export function FitPanel() {
  const [params] = useSearchParams();
  const nodes = useTopic(nodesTopic, {}).news?.rows;
  const classes = useTopic(storageTopic, null).news?.rows;
  const texts = useMemo(() => Object.fromEntries(fitFields.map((field) => [field, params.get(field) ?? ''])) as FitTexts, [params]);
  const { order, problems, notes } = useMemo(() => readOrder(texts), [texts]);
  const asked = useDeferredValue(order);
  const answer = useMemo(
    () => (asked === undefined || nodes === undefined || classes === undefined ? undefined : fit(asked, nodes, classes)),
    [asked, nodes, classes],
  );
  return (
    <Panel title="Will it fit?" source="cluster" aside="by what is sellable now; nothing is reserved">
      <FitForm
        texts={texts}
        problems={problems}
        notes={notes}
        models={modelsOf(nodes ?? [])}
        classes={(classes ?? []).map(({ name }) => name)}
      />
      <p className="field-hint fit-limits">
        An estimate made in this browser from free amounts alone. It leaves out taints and tolerations, affinity and topology rules, host
        ports, quotas, ephemeral disk, pods per node and other devices: the scheduler may refuse what fits here.
      </p>
      <div aria-live="polite">
        {asked !== undefined && answer !== undefined ? (
          <Answer order={asked} answer={answer} />
        ) : (
          <p className="empty-line">Enter what one replica needs: cores, memory, GPUs or storage.</p>
        )}
      </div>
    </Panel>
  );
}

function Answer({ order, answer }: { readonly order: FitOrder; readonly answer: FitAnswer }) {
  const { room, isAtLeast, plan, refusals, changes, storageProblem } = answer;
  const groups = byLack(refusals);
  return (
    <>
      <p className="fit-verdict">
        <StateWord tone={room >= order.replicas ? 'good' : room === 0 && !isAtLeast ? 'failed' : 'held'} word={verdict(order, answer)} />
      </p>
      {isAtLeast && (
        <p className="empty-line">
          The storage class lives on more nodes than the inventory names here: the others may hold more. Their space is not known, not 0.
        </p>
      )}
      {storageProblem !== undefined && <p className="empty-line">{storageProblem}</p>}
      {plan.length > 0 && (
        <p className="fit-plan">
          {plan.slice(0, maxShown).map(({ node, replicas }) => (
            <span key={node}>
              <Link href={nodeHref(node)}>{node}</Link> {formatInteger(replicas)}
            </span>
          ))}
          {plan.length > maxShown && <span className="dim">and {countOf(plan.length - maxShown, 'more node')}</span>}
        </p>
      )}
      {changes.length > 0 && (
        <>
          <h3 className="fit-heading">What would fit</h3>
          <ul className="fit-lines">
            {changes.map((change) => (
              <li key={JSON.stringify(change)}>
                {change.kind === 'release' && <Link href={nodeHref(change.node)}>{change.node}</Link>} {changeWords(change)}
              </li>
            ))}
          </ul>
        </>
      )}
      {room < order.replicas && refusals.length > 0 && (
        <>
          <h3 className="fit-heading">Why not, node by node</h3>
          <ul className="fit-lines">
            {groups.slice(0, maxShown).map(({ words, nodes }) => (
              <li key={words} className="fit-reason">
                <span>{words}</span>
                <span>
                  {nodes.slice(0, maxShown).map((node) => (
                    <Link key={node} href={nodeHref(node)}>
                      {node}
                    </Link>
                  ))}
                  {nodes.length > maxShown && <span className="dim">and {countOf(nodes.length - maxShown, 'more node')}</span>}
                </span>
              </li>
            ))}
            {groups.length > maxShown && <li className="dim">and {countOf(groups.length - maxShown, 'more reason')}</li>}
          </ul>
        </>
      )}
    </>
  );
}
