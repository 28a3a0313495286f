import { useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError, problemOf, problemText } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { deploymentKind, objectHref } from '../api/object-kind.ts';
import { countOf } from '../model/amounts.ts';
import { Choices, FieldFrame, FieldProblem } from '../parts/field-frame.tsx';
import { useNotify } from '../parts/notice.tsx';
import { usePageTitle } from '../parts/page-title.ts';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { useTyped } from '../pods/use-pods.ts';
import { amountWords } from '../reservations/reservation-words.ts';
import { marketPath, useMarket } from '../upstreams/use-market.ts';
import { exampleSdl } from './example-sdl.ts';
import { type DeploymentObject, type Group, resourcesOf } from './market-objects.ts';
import { exactPrice, perMonth } from './price-words.ts';
import { SdlEditor, type SdlFault } from './sdl-editor.tsx';

/** Who decides which bid becomes the lease. */
const choiceWords: Readonly<Record<string, string>> = {
  BID_CHOICE_TENANT: 'I do: I accept a bid',
  BID_CHOICE_CHEAPEST: 'The market: it takes the cheapest bid',
};

interface CheckedSdl {
  readonly groups: readonly Group[];
  readonly faults: readonly SdlFault[];
}

/** What the market makes of an SDL, asked after a pause in typing. What was said of the text before stays until there is an answer. */
function useCheckedSdl(sdl: string) {
  const text = useTyped(sdl);
  const { data, error, failureReason, isPlaceholderData } = useQuery({
    queryKey: ['sdl check', text],
    queryFn: ({ signal }) => callApi<CheckedSdl>(`${marketPath}/sdl:check`, { method: 'POST', body: { sdl: text }, signal }),
    enabled: text.trim() !== '',
    placeholderData: (before) => before,
    // It may hold passwords: none of it stays in memory.
    gcTime: 0,
  });
  const isEmpty = text.trim() === '';
  return {
    checked: isEmpty ? undefined : data,
    isCurrent: sdl === text && !isPlaceholderData && data !== undefined,
    problem: isEmpty ? undefined : problemOf(error ?? failureReason),
  };
}

/** Deploys an SDL: what is wrong with it stands beside its lines, and what it costs at most beside the button. */
export function DeployPage() {
  usePageTitle('Deploy', 'Deployments');
  const { caller } = useMarket();
  const own = (caller?.default_tenants ?? []).filter((tenant) => tenant !== 'shared');
  const [, navigate] = useLocation();
  const notify = useNotify();
  const [sdl, setSdl] = useState('');
  const [name, setName] = useState('');
  const [tenant, setTenant] = useState('');
  const [choice, setChoice] = useState('BID_CHOICE_TENANT');
  const [refusal, setRefusal] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const { checked, isCurrent, problem } = useCheckedSdl(sdl);
  const faults = checked?.faults ?? [];
  const obstacle = obstacleOf({ isEmpty: sdl.trim() === '', isCurrent, faults: faults.length });
  const deploy = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (obstacle !== undefined || isBusy) return;
    setBusy(true);
    const tenants = own.length === 1 || tenant === '' ? [] : [tenant];
    const body = { metadata: { name, tenants }, spec: { sdl, choice } };
    callApi<DeploymentObject>(`${marketPath}/deployments`, { method: 'POST', body }).then(
      ({ id, status }) => {
        notify(`Deployed as ${id}: ${countOf(status?.groups.length ?? 0, 'order')} for providers to bid on.`);
        navigate(objectHref(deploymentKind, id));
      },
      (thrown: unknown) => {
        setRefusal(ApiError.from(thrown));
        setBusy(false);
      },
    );
  };
  const refused = (field: string): string | undefined =>
    refusal?.violations.find((violation) => violation.field.startsWith(field))?.description;
  const isElsewhere = refusal !== undefined && refused('metadata') === undefined;
  return (
    <form className="form deploy-form" noValidate onSubmit={deploy}>
      <header className="page-head">
        <h1>Deploy</h1>
        <p className="dim">Each group of the SDL becomes an order that providers bid on.</p>
        {sdl === '' && (
          <div className="page-actions">
            <button type="button" className="quiet-button" onClick={() => setSdl(exampleSdl)}>
              Start from an example
            </button>
          </div>
        )}
      </header>
      <SdlEditor sdl={sdl} faults={faults} onChange={setSdl} />
      {problem !== undefined && (
        <p className="stale-notice" role="alert">
          The SDL cannot be checked. {problemText(problem, 'market')}
        </p>
      )}
      <div className="form-fields">
        <FieldFrame label="Name" hint="For you; may be empty." problem={refused('metadata.name')}>
          {(control) => (
            <input {...control} className="field" value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
          )}
        </FieldFrame>
        <FieldFrame label="Who chooses the bid">
          {(control) => (
            <select {...control} className="field" value={choice} onChange={({ currentTarget }) => setChoice(currentTarget.value)}>
              <Choices choices={choiceWords} value={choice} />
            </select>
          )}
        </FieldFrame>
        {own.length !== 1 && (
          <FieldFrame
            label="Tenant"
            isRequired
            hint={own.length === 0 ? 'Whose deployment it is.' : `One of ${own.join(', ')}.`}
            problem={refused('metadata.tenants')}
          >
            {(control) => (
              <input {...control} className="field" value={tenant} onChange={({ currentTarget }) => setTenant(currentTarget.value)} />
            )}
          </FieldFrame>
        )}
      </div>
      <Cost groups={faults.length > 0 ? [] : (checked?.groups ?? [])} />
      {isElsewhere && <FieldProblem problem={refusal.message} />}
      <div className="form-actions">
        <button type="submit" className="main-button" disabled={obstacle !== undefined || isBusy} title={obstacle}>
          Deploy
        </button>
        {obstacle !== undefined && <span className="dim deploy-obstacle">{obstacle}</span>}
      </div>
    </form>
  );
}

interface DraftState {
  readonly isEmpty: boolean;
  readonly isCurrent: boolean;
  readonly faults: number;
}

function obstacleOf({ isEmpty, isCurrent, faults }: DraftState): string | undefined {
  if (isEmpty) return 'Paste or write an SDL first.';
  if (faults > 0) return `The SDL has ${countOf(faults, 'fault')}: fix ${faults === 1 ? 'it' : 'them'} first.`;
  return isCurrent ? undefined : 'Checking the SDL …';
}

/** What is ordered, and what it costs at most. */
function Cost({ groups }: { readonly groups: readonly Group[] }) {
  if (groups.length === 0) return null;
  const most = perMonth(...groups.map(({ spec }) => spec?.max_price));
  return (
    <section className="panel" aria-label="Cost">
      <header>
        <h2>Costs at most {most} per month</h2>
        <span className="dim">the sum of what the SDL offers; bids may be lower</span>
      </header>
      <PlainTable headings={['Group', 'Runs', 'Takes', 'At most, per month']} numbers={['At most, per month']} layout="cost-table">
        {groups.map(({ gseq, name, spec }) => (
          <tr key={gseq}>
            <th scope="row">{name}</th>
            <td>{(spec?.services ?? []).map(({ name: service, count, image }) => `${service}: ${count} × ${image}`).join(', ')}</td>
            <td>{spec !== undefined && amountWords(resourcesOf(spec))}</td>
            <td className="number" title={exactPrice(spec?.max_price)}>
              {perMonth(spec?.max_price)}
            </td>
          </tr>
        ))}
      </PlainTable>
    </section>
  );
}
