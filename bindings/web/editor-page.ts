// The position editor: its HTML. The engine itself is in its script.

import { mapNames, presetNames } from '../../engine/internal.js';
import { escapeXml } from '../draw/escape-xml.js';
import { type ShownPage, shownPage } from './document.js';
import { commonStyle } from './styles.js';
import { navigation } from './view-pages.js';

const editorStyle = `
main{max-width:1560px}
.stage{display:grid;grid-template-columns:minmax(0,1fr) minmax(300px,430px);gap:18px}
.left{max-width:max(460px,calc(117vh - 250px));width:100%;justify-self:center;align-self:start;position:sticky;top:8px}
#board svg{width:100%;height:auto;display:block;border-radius:8px;cursor:pointer}
#board .province:hover{filter:brightness(1.06)}
#board .chosen{filter:drop-shadow(0 0 3px var(--accent)) drop-shadow(0 0 6px var(--accent))}
textarea{width:100%;font:13px/1.4 ui-monospace,Menlo,Consolas,monospace;resize:vertical}
.choices{display:flex;flex-wrap:wrap;gap:6px;max-height:190px;overflow:auto;margin-bottom:8px;padding:2px}
.choices:empty{margin:0}
.choices button{padding:2px 8px;min-height:30px;font-size:14px}
#told{min-height:1.5em;margin:4px 0}
#results td{padding:2px 8px 2px 0;font-size:14px}
#results table{table-layout:fixed}
#results td:first-child{width:50%}
#results h3,#found h3{font-size:13px;margin:10px 0 2px}
#found li{margin:2px 0;font-size:14px}
#found button{padding:1px 8px;min-height:26px;font-size:13px}
fieldset{border:1px solid var(--line);border-radius:8px;margin:0 0 10px;padding:6px 10px 10px}
legend{font-size:13px;color:var(--dim);padding:0 4px}
.tools input[type=text]{width:8.5em}
#phase{width:6em!important}
#found{max-height:60vh;overflow:auto}
@media(max-width:900px){.stage{grid-template-columns:minmax(0,1fr)}.left{max-width:none;position:static}#found{max-height:none}}
`;

const list = (id: string, values: readonly string[]): string =>
  `<datalist id="${id}">${values.map((value) => `<option value="${escapeXml(value)}">`).join('')}</datalist>`;

const body = `<main>${navigation}
<h1>Position editor</h1>
<div class="stage">
<div class="left">
<div class="tools" role="group" aria-label="What a click does">
<button id="mode-orders" type="button" aria-pressed="true">Give orders</button>
<button id="mode-units" type="button" aria-pressed="false">Place units</button>
<button id="mode-centers" type="button" aria-pressed="false">Own centres</button>
<label>Power <select id="power"></select></label>
<label>Unit <select id="type"><option value="A">Army</option><option value="F">Fleet</option><option value="">remove</option></select></label>
</div>
<p id="told" role="status"></p>
<div id="board"></div>
</div>
<div class="right">
<div id="choices" class="choices" role="group" aria-label="Orders for the chosen unit"></div>
<fieldset><legend>Position</legend>
<div class="tools"><label>Map <input id="map" type="text" list="maps" value="standard" spellcheck="false"></label>
<label>Rules <input id="rules" type="text" list="presets" value="datc-3.2" spellcheck="false"></label>
<label>Phase <input id="phase" type="text" value="S1901M" size="7" spellcheck="false"></label></div>
<div class="tools"><button id="start" type="button">Start of the map</button><button id="clear" type="button">Empty board</button></div>
</fieldset>
<fieldset><legend>Orders, one a line in any usual notation</legend>
<label class="unseen" for="orders">Orders</label>
<textarea id="orders" rows="9" spellcheck="false"></textarea>
<div class="tools"><button id="adjudicate" type="button">Adjudicate</button><button id="go-on" type="button" disabled>Go on to the next phase</button><button id="undo" type="button" disabled>Back</button></div>
</fieldset>
<p id="trouble" class="bad" role="alert" hidden></p>
<div id="results" aria-live="polite"></div>
<fieldset><legend>Search</legend>
<div class="tools"><label>Rollouts <input id="rollouts" type="number" min="100" max="1000000" step="1000" value="20000"></label>
<button id="search" type="button">Search for orders</button></div>
<div id="found" aria-live="polite"></div></fieldset>
<fieldset><legend>As lepanto adjudicate reads it</legend>
<label class="unseen" for="json">Position and orders as JSON</label>
<textarea id="json" rows="4" spellcheck="false"></textarea>
<div class="tools"><button id="copy" type="button">Copy</button><button id="read" type="button">Read it</button></div></fieldset>
</div></div>
${list('maps', mapNames)}${list('presets', presetNames)}
</main>`;

export const editorPage = (): ShownPage =>
  shownPage({
    title: 'Position editor',
    style: commonStyle + editorStyle,
    script: 'editor-page',
    data: {},
    connects: "'self'",
    body,
  });
