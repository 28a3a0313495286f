import { Link } from 'wouter';
import { celText } from '../../filter/cel-text.ts';
import { nameOf } from '../api/api-object.ts';
import { clusterKind, listHref, templateKind } from '../api/object-kind.ts';
import { ClusterCreateForm } from '../clusters/cluster-create-form.tsx';
import { parameterText, parameterTypeWords } from '../clusters/parameter-value.ts';
import type { TemplateObject } from '../clusters/template-object.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { countOf } from '../model/amounts.ts';
import { CreateButton } from '../objects/create-button.tsx';
import { useObjectCount } from '../objects/object-count.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { ObjectView } from '../objects/object-view.tsx';
import { SizedSetsList } from '../objects/sized-sets-list.tsx';
import { Panel } from '../parts/panel.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { TemplateForm } from './template-form.tsx';

/** One template: what a cluster made from it gets, what must be said for it, and which clusters were made from it. */
export function TemplatePage({ params }: { readonly params: RouteParams }) {
  return (
    <ObjectPage<TemplateObject> kind={templateKind} params={params}>
      {(template) => <TemplateView template={template} />}
    </ObjectPage>
  );
}

function TemplateView({ template }: { readonly template: TemplateObject }) {
  const { id, title, description, node_sets: sets } = template;
  const madeFrom = `this.spec.template == ${celText(id)}`;
  const clusters = useObjectCount(clusterKind, madeFrom);
  const isUsed = clusters !== undefined && clusters > 0;
  return (
    <ObjectView
      kind={templateKind}
      object={template}
      lead={<p>{title}</p>}
      form={TemplateForm}
      consequences={[`No cluster can be ordered from the template ${nameOf(template)} any more.`]}
      needsConfirmation={false}
      blockedBy={isUsed ? `${countOf(clusters, 'cluster')} made from it must be deleted first.` : undefined}
      actions={<CreateButton kind={clusterKind} label="Order a cluster" form={ClusterCreateForm} madeFrom={id} />}
      facts={[]}
    >
      {description !== '' && <p className="prose">{description}</p>}
      <Panel title="Node sets" source="fulfillment">
        {Object.keys(sets).length === 0 && <p className="empty-line">None: no cluster can be created from it before it has one.</p>}
        <SizedSetsList sets={sets} />
      </Panel>
      <Parameters template={template} />
      <Panel title="Clusters made from it" source="fulfillment">
        <p className="empty-line">
          {clusters === undefined && 'Loading …'}
          {clusters === 0 && 'None that you can see.'}
          {isUsed && <Link href={listHref(clusterKind, madeFrom)}>{countOf(clusters, 'cluster')}</Link>}
        </p>
      </Panel>
    </ObjectView>
  );
}

function Parameters({ template: { parameters } }: { readonly template: TemplateObject }) {
  return (
    <Panel title="Parameters" source="fulfillment">
      {parameters.length === 0 ? (
        <p className="empty-line">None: an order only sets the sizes of the node sets.</p>
      ) : (
        <PlainTable layout="stacked-table" headings={['Parameter', 'Takes', 'Default', 'Purpose']}>
          {parameters.map(({ name, title, description, type, required, default: fallback }) => (
            <tr key={name}>
              <th scope="row" className="mono">
                {name}
              </th>
              <td>{parameterTypeWords(type)}</td>
              <td>
                {fallback !== undefined && <code>{parameterText(fallback)}</code>}
                {fallback === undefined && (required ? 'none, required' : <span className="dim">none</span>)}
              </td>
              <td>{[title, description].filter((words) => words !== '').join(': ')}</td>
            </tr>
          ))}
        </PlainTable>
      )}
    </Panel>
  );
}
