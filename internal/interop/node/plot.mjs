// Draws the measurements of the command load: node plot.mjs load.json FOLDER
import { readFileSync, writeFileSync } from 'node:fs';

import * as vega from 'vega';
import { compile } from 'vega-lite';

const [file, folder] = process.argv.slice(2);
const values = JSON.parse(readFileSync(file, 'utf8'))
  .sort((a, b) => a.round - b.round)
  .map((m) => ({ ...m, load: `${m.workload}, ${m.connections} connection${m.connections > 1 ? 's' : ''}` }));
const order = [...new Set(values.map((m) => m.server))].sort();
const loads = [...new Set(values.map((m) => m.load))];

const plots = {
  requests: ['perSecond', 'requests a second (more is better)'],
  cpu: ['cpuµs', 'processor time of the server for a request, µs (less is better)'],
  p99: ['p99µs', '99th percentile of the latency, µs (less is better)'],
  memory: ['residentMB', 'resident memory of the server, MB (less is better)'],
};
for (const [name, [field, title]] of Object.entries(plots)) {
  const y = { field: 'server', type: 'nominal', sort: order, title: null };
  const { spec } = compile({
    background: 'white',
    title,
    data: { values },
    facet: { field: 'load', type: 'nominal', sort: loads, title: null },
    columns: 2,
    resolve: { scale: { x: 'independent' } },
    spec: {
      width: 260,
      height: 120,
      layer: [
        { mark: 'bar', encoding: { y, x: { aggregate: 'median', field, title: null }, color: { field: 'server', type: 'nominal', sort: order, legend: null } } },
        { mark: { type: 'rule' }, encoding: { y, x: { aggregate: 'min', field }, x2: { aggregate: 'max', field } } },
      ],
    },
  });
  const svg = await new vega.View(vega.parse(spec), { renderer: 'none' }).toSVG();
  writeFileSync(`${folder}/load-${name}.svg`, svg + '\n');
}
