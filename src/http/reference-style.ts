export const referenceStyle = `
:root{color-scheme:light dark;--ink:#1d2330;--dim:#5d6678;--line:#dde1e8;--paper:#fff;--soft:#f5f6f9;--link:#1f4fa3}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9f0;--dim:#9aa3b5;--line:#30363f;--paper:#14171c;--soft:#1c2027;--link:#8ab4ff}}
*{box-sizing:border-box}body{margin:0;font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper);display:grid;grid-template-columns:17rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem;border-right:1px solid var(--line);background:var(--soft);font-size:.85rem}
nav ul{list-style:none;margin:0;padding:0}nav li{margin:.15rem 0;overflow-wrap:anywhere}.brand{font-weight:700;font-size:1rem;margin-top:0}.group{margin:1.2rem 0 .3rem;color:var(--dim);text-transform:uppercase;font-size:.72rem;letter-spacing:.06em}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
main{padding:2rem 3rem 6rem;max-width:60rem}h1 small,h4 small{font-weight:400;color:var(--dim);font-size:.7em}h2{margin-top:3rem;border-bottom:1px solid var(--line);padding-bottom:.3rem}
section{margin:2.5rem 0}h3 code{font-size:1rem}h4{margin:1.4rem 0 .4rem}.summary{font-weight:600;margin:.2rem 0}
b.GET,b.HEAD{color:#1a7f4b}b.POST{color:#1f5fbf}b.DELETE{color:#b3372f}b.s2{color:#1a7f4b}b.s4,b.s5{color:#b3372f}
code,pre{font-family:ui-monospace,monospace;font-size:.86em}pre{background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem;overflow:auto;margin:0}
figure{margin:.8rem 0}figcaption{font-size:.75rem;color:var(--dim)}
table{border-collapse:collapse;width:100%;font-size:.9rem}td{border-top:1px solid var(--line);padding:.4rem .6rem .4rem 0;vertical-align:top}td i{color:var(--dim);font-size:.8em}
details{border-top:1px solid var(--line);padding:.4rem 0}summary{cursor:pointer}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border-right:0}main{padding:1rem}}
`;
