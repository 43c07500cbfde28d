/** Colours have a light and a dark set; nothing is loaded from anywhere. */
export const referenceStyle = `
:root{color-scheme:light dark;--ink:#1d2330;--dim:#5d6678;--line:#dfe3ea;--paper:#fff;--soft:#f5f6f9;--link:#1f4fa3;--good:#15713f;--act:#1d5bb8;--bad:#b3372f}
@media(prefers-color-scheme:dark){:root{--ink:#e3e7ee;--dim:#9aa3b5;--line:#2e343d;--paper:#14171c;--soft:#1b1f26;--link:#8ab4ff;--good:#5fd08f;--act:#7fb0ff;--bad:#ff8d84}}
*{box-sizing:border-box}html{scroll-padding-top:1rem}
body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper);display:grid;grid-template-columns:18rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem;border-right:1px solid var(--line);background:var(--soft);font-size:.85rem}
nav ul{list-style:none;margin:0;padding:0}nav li a{display:grid;grid-template-columns:3.6rem minmax(0,1fr);padding:.15rem 0;color:var(--ink);overflow-wrap:anywhere}nav li b{font-size:.7rem;line-height:1.9;letter-spacing:.03em}nav li a:not(:has(b)){display:block}
.brand{font-weight:700;font-size:1rem;margin-top:0}.group{margin:1.2rem 0 .3rem;color:var(--dim);text-transform:uppercase;font-size:.72rem;letter-spacing:.06em}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}:focus-visible{outline:2px solid var(--link);outline-offset:2px}
main{padding:2rem 3rem 6rem;max-width:58rem}h1{line-height:1.2}h1 small,h4 small{font-weight:400;color:var(--dim);font-size:.7em}h2{margin-top:3.5rem;border-bottom:1px solid var(--line);padding-bottom:.3rem}
section{margin:2.5rem 0 3.5rem}h3{margin-bottom:.2rem;overflow-wrap:anywhere}h3 b{font-size:.8em}h3 code{font-size:1rem}h4{margin:1.6rem 0 .3rem}.summary{font-weight:600;margin:.2rem 0}.in{color:var(--dim);font-size:.85rem;margin:.4rem 0}
.GET,.s2{color:var(--good)}.POST{color:var(--act)}.DELETE,.s4{color:var(--bad)}
code,pre{font-family:ui-monospace,monospace;font-size:.86em;overflow-wrap:anywhere}pre{background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem;overflow:auto;margin:0;overflow-wrap:normal}
figure{margin:.9rem 0}figcaption{font-size:.75rem;color:var(--dim)}
dl{margin:0}dl div{border-top:1px solid var(--line);padding:.45rem 0}dt code{font-weight:600}dt span{color:var(--dim);font-size:.82rem;margin-left:.3rem}dd{margin:.1rem 0 0;font-size:.92rem}
dd code{background:var(--soft);border:1px solid var(--line);border-radius:4px;padding:0 .3em;display:inline-block;line-height:1.5}
table{border-collapse:collapse;width:100%;font-size:.92rem}td{border-top:1px solid var(--line);padding:.45rem .8rem .45rem 0;vertical-align:top}td:first-child{width:3.2rem}
details{border-top:1px solid var(--line);padding:.5rem 0}summary{cursor:pointer;font-weight:600}.statuses{color:var(--dim);font-weight:400;font-size:.85rem;margin-left:.4rem}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border-right:0;border-bottom:1px solid var(--line)}main{padding:1rem 1rem 4rem}}
@media print{nav{display:none}body{display:block}}
`;
