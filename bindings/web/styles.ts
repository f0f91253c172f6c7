// Style sheets of the pages. Colours of powers are those of the board.

/** How a power looks: the part of the board's looks that pages use. */
export interface PowerColours {
  readonly light: string;
  readonly dark: string;
}

const rules = (looks: readonly PowerColours[], shade: 'light' | 'dark'): string =>
  looks.map((look, i) => `.p${i}{--power:${look[shade]}}`).join('');

/** Classes `p0`, `p1`, … that set the variable --power to the colour of a power. */
export const powerStyle = (looks: readonly PowerColours[]): string =>
  `${rules(looks, 'light')}@media(prefers-color-scheme:dark){${rules(looks, 'dark')}}`;

export const commonStyle = `
:root{color-scheme:light dark;--page:#fbfaf7;--card:#fff;--text:#23262b;--dim:#60656d;--line:#d8d2c4;--accent:#0f4394;--bad:#b80018;--good:#1a7f37;--on:#e6edf8}
@media(prefers-color-scheme:dark){:root{--page:#101418;--card:#171c21;--text:#eef0f2;--dim:#9aa4ad;--line:#333c44;--accent:#7db0ff;--bad:#ff7a7a;--good:#5fd07f;--on:#1f2f45}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.45 "Helvetica Neue",Helvetica,Arial,"DejaVu Sans",sans-serif}
main{max-width:1180px;margin:0 auto;padding:12px 16px 40px}
h1{font-size:22px;margin:6px 0 10px;overflow-wrap:anywhere}
h2{font-size:16px;margin:26px 0 8px}
a{color:var(--accent)}
nav{display:flex;gap:16px;padding:8px 0 4px;border-bottom:1px solid var(--line);margin-bottom:12px}
.dim{color:var(--dim)}
.bad{color:var(--bad)}
.good{color:var(--good)}
.wide{overflow-x:auto;max-width:100%}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
td.long{min-width:6.5em;overflow-wrap:anywhere}
th{font-weight:600;color:var(--dim);font-size:13px;white-space:nowrap}
td.n,th.n{text-align:right;white-space:nowrap}
button,select,input,textarea{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:5px 10px;min-height:34px}
button{cursor:pointer}
button:hover:not(:disabled){border-color:var(--accent)}
button:disabled{opacity:.45;cursor:default}
button[aria-pressed=true]{background:var(--on);border-color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
input[type=range]{accent-color:var(--accent);padding:0;border:0;background:none}
input[type=number]{width:5.5em}
progress{width:9em;accent-color:var(--accent);vertical-align:middle}
.swatch{display:inline-block;width:.85em;height:.85em;border-radius:3px;background:var(--power);border:1px solid var(--line);margin-right:.45em;vertical-align:-1px}
.tools{display:flex;flex-wrap:wrap;gap:8px 12px;align-items:end;margin:8px 0}
.tools label{display:flex;flex-direction:column;font-size:12px;color:var(--dim);gap:2px}
.tools label input,.tools label select{font-size:15px;color:var(--text)}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media(max-width:600px){main{padding:8px 10px 30px}h1{font-size:19px}th,td{padding-right:8px}.later{display:none}}
`;
