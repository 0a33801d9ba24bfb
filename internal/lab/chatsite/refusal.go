package chatsite

// Challenge is the page that a visitor who looks like a machine gets.
const Challenge = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>One moment…</title>
<meta name="robots" content="noindex,nofollow">
</head>
<body>
<main>
<h1>Are you a person?</h1>
<p>The lab wants to be sure before it goes on.</p>
<form id="challenge-form" action="/challenge/verify" method="post">
<input type="hidden" name="token" value="lab">
<div id="captcha" class="captcha-widget" data-sitekey="lab"></div>
<noscript>Scripts are needed to go on.</noscript>
</form>
</main>
</body>
</html>
`

// Nonsense is what stands in the place of a document that nobody can read.
const Nonsense = "\x7f\x01~~ %%zq{{{ ]] <<>> 0xLAB </b></i> &&& \x02 nothing in here makes sense \x03\n"
