// The page begins: what it holds is shown.

show(JSON.parse(document.getElementById("data").textContent));
